#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs the truth tests on another kernel: Debian's, with nothing but cgroup v2, in an emulated machine.

v2_host.py [--directory DIR] [--build DIR] [--limit SECONDS] [--shell TEXT] [PYTEST-ARGUMENT...]

What it does: downloads Debian's kernel image for virtual machines and its static busybox (unpacked below DIR, never
installed); copies this machine's Python, pytest, coreutils and what they depend on, this tree and the built programs with
their libraries into a disk image; boots both in qemu by software emulation, which works the same everywhere. The guest
(tools/v2_host_guest.sh) mounts cgroup2 alone at /sys/fs/cgroup and runs pytest there as root, in a cgroup of its
own; the tests make the ordinary user themselves, and delegate a sub-tree to it.
Its console is shown and kept in DIR/console.log, pytest's report in DIR/report.xml. The last line counts the tests as
check.py does; the exit status is 1 when one failed, or when the guest did not come to its end.
Where qemu, the kernel image or Debian's tools are missing it says so, counts one skipped, and is content.
"""
import argparse
import os
import re
import selectors
import shutil
import stat
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
TOOLS = ["qemu-system-x86_64", "mke2fs", "apt-get", "apt-cache", "dpkg-deb", "dpkg-query", "ldd"]
KERNEL_PACKAGE = "linux-image-cloud-amd64"  # depends on the newest linux-image-VERSION-cloud-amd64
# Drivers of the emulated disk: modules in Debian's kernel, unlike ext4 and the serial port.
MODULES = ["virtio_pci", "virtio_blk"]
# Packages of this machine whose files, with those of all they depend on, make the guest's userland.
USERLAND = ["bash", "dash", "coreutils", "grep", "sed", "findutils", "mount", "util-linux", "passwd", "procps",
            "libc-bin", "iproute2", "time", "python3-pytest", "python3-jsonschema", "python3-psutil"]
NOT_NEEDED = {"debconf", "perl-base", "libpam-modules", "libpam-modules-bin", "libpam-runtime", "python3-setuptools"}
LEFT_OUT = re.compile(r"/usr/share/(doc|man|locale|info|lintian|i18n|bash-completion|zoneinfo|perl5?)(/|$)|/usr/lib/udev/|"
                      r".*/__pycache__(/|$)|/usr/lib/x86_64-linux-gnu/(perl|gconv)|/usr/share/perl")
TREE_PARTS = ["tests", "schema", "tools/v2_host_guest.sh"]
BUILT = ["assay", "tests/truth/load"]
DISK_BYTES = 3 << 30
MEMORY_MIB = 2560
# What the emulated machine shows here: the parts that read the kernel, not those of the command line.
DEFAULT_TESTS = ["tests/truth/test_memory.py", "tests/truth/test_cpu.py", "tests/truth/test_io.py",
                 "tests/truth/test_processes.py", "tests/truth/test_version_2.py"]
INIT = """#!/bin/busybox sh
/bin/busybox mount -t devtmpfs dev /dev
for module in {modules}; do
	/bin/busybox insmod /$module || echo "v2-host: no $module"
done
until [ -b /dev/vda ]; do
	/bin/busybox sleep 0.1
done
/bin/busybox mount -t ext4 /dev/vda /root
exec /bin/busybox switch_root /root /opt/assay/tools/v2_host_guest.sh
"""


class Missing(Exception):
    """Something that this machine does not have; the text says what."""


def output_of(*command, **how):
    return subprocess.run(command, check=True, capture_output=True, text=True, **how).stdout


def installed_packages():
    """name -> the names it depends on, each a list of alternatives; a provided name leads to its provider."""
    text = output_of("dpkg-query", "-W", "-f", "${db:Status-Status}\t${Package}\t${Pre-Depends}, ${Depends}\t${Provides}\n")
    needs, provided = {}, {}
    for line in text.splitlines():
        status, name, depends, provides = line.split("\t")
        if status != "installed":
            continue
        needs[name] = [[re.split(r"[ (:]", word.strip())[0] for word in wish.split("|")]
                       for wish in depends.split(",") if wish.strip()]
        for word in provides.split(","):
            provided.setdefault(word.split("(")[0].strip(), name)
    return needs, provided


def userland_packages():
    needs, provided = installed_packages()
    left = [name for name in USERLAND if name in needs]
    if "python3-pytest" not in left or "python3-jsonschema" not in left:
        raise Missing("python3-pytest and python3-jsonschema are not installed (make deps)")
    found = set()
    while left:
        name = left.pop()
        if name in found or name in NOT_NEEDED:
            continue
        found.add(name)
        for alternatives in needs[name]:
            here = [provided.get(word, word) if word not in needs else word for word in alternatives]
            left.extend([word for word in here if word in needs][:1])
    return sorted(found)


def copy_path(path, tree):
    """Copies one file, link or directory of this machine below `tree`; a link in its way (/bin) is followed."""
    target = Path(f"{tree}{os.path.realpath(os.path.dirname(path))}") / os.path.basename(path)
    if os.path.lexists(target):
        return
    if os.path.islink(path):
        target.parent.mkdir(parents=True, exist_ok=True)
        os.symlink(os.readlink(path), target)
    elif os.path.isdir(path):
        target.mkdir(parents=True, exist_ok=True)
    elif os.path.isfile(path):
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)


def make_userland(tree):
    for name in ("bin", "sbin", "lib", "lib64"):
        copy_path(f"/{name}", tree)
        (tree / "usr" / name).mkdir(parents=True, exist_ok=True)
    files = output_of("dpkg-query", "-L", *userland_packages()).splitlines()
    for path in dict.fromkeys(files):
        if path.startswith("/") and path != "/." and not LEFT_OUT.match(path):
            copy_path(path, tree)
            if path.endswith(".py"):  # and what Python compiled of it: no package lists that
                for compiled in Path(path).parent.glob(f"__pycache__/{Path(path).stem}.cpython-*.pyc"):
                    copy_path(str(compiled), tree)
    for link in ("/usr/bin/awk", "/etc/alternatives/awk", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/login.defs"):
        if os.path.lexists(link):
            copy_path(link, tree)
    shutil.copytree("/etc/ld.so.conf.d", tree / "etc/ld.so.conf.d", dirs_exist_ok=True)
    (tree / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n")
    (tree / "etc/group").write_text("root:x:0:\nnogroup:x:65534:\n")
    (tree / "etc/shadow").write_text("root:*:1::::::\nnobody:*:1::::::\n")
    (tree / "etc/nsswitch.conf").write_text("passwd: files\ngroup: files\nshadow: files\n")
    (tree / "etc/hosts").write_text("127.0.0.1 localhost\n")
    for name in ("proc", "sys", "dev", "run", "tmp", "root", "var/tmp"):
        (tree / name).mkdir(parents=True, exist_ok=True)
    (tree / "var/tmp").chmod(0o1777)


def copy_libraries(program, tree):
    """What the program is linked to: no package that the guest needs otherwise has to bring it."""
    for line in output_of("ldd", str(program)).splitlines():
        path = line.split("=>")[-1].split("(")[0].strip()
        while path.startswith("/"):
            copy_path(path, tree)
            path = os.path.join(os.path.dirname(path), os.readlink(path)) if os.path.islink(path) else ""


def copy_project(tree, build, arguments):
    """The tree's tests and the built programs, where everybody can read and execute them."""
    project = tree / "opt" / "assay"
    for part in TREE_PARTS:
        target = project / part
        target.parent.mkdir(parents=True, exist_ok=True)
        if (TOP / part).is_dir():
            shutil.copytree(TOP / part, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(TOP / part, target)
    for part in BUILT:
        if not (build / part).exists():
            raise SystemExit(f"v2-host: {build / part} does not exist: build first")
        (project / "build" / part).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(build / part, project / "build" / part)
        copy_libraries(build / part, tree)
    lines = {"arguments": "\n".join(arguments.tests) + "\n", "shell": arguments.shell}
    for name, text in lines.items():
        (project / f"v2_host_{name}").write_text(text)
    for path in [project.parent, project, *project.rglob("*")]:
        path.chmod(path.stat().st_mode | (0o555 if path.is_dir() else 0o444))


def make_disk(directory, build, arguments):
    tree, disk = directory / "tree", directory / "disk.ext4"
    shutil.rmtree(tree, ignore_errors=True)
    disk.unlink(missing_ok=True)
    make_userland(tree)
    copy_project(tree, build, arguments)
    with open(disk, "wb") as image:
        image.truncate(DISK_BYTES)
    output_of("mke2fs", "-q", "-t", "ext4", "-E", "lazy_itable_init=1,lazy_journal_init=1", "-d", str(tree), str(disk))
    shutil.rmtree(tree)
    return disk


def fetch(package, directory):
    """Unpacks a package of Debian's mirrors below `directory`, once for each version."""
    policy = subprocess.run(["apt-cache", "policy", package], check=False, capture_output=True, text=True).stdout
    version = re.search(r"Candidate: (\S+)", policy)
    if not version or version[1] == "(none)":
        raise Missing(f"apt-cache knows no package {package} (apt-get update?)")
    unpacked = directory / f"{package}_{version[1].replace(':', '.')}"
    if unpacked.exists():
        return unpacked
    download = directory / "download"
    shutil.rmtree(download, ignore_errors=True)
    download.mkdir(parents=True)
    got = subprocess.run(["apt-get", "download", "-q", package], cwd=download, check=False, capture_output=True, text=True)
    packages = list(download.glob("*.deb"))
    if got.returncode != 0 or not packages:
        raise Missing(f"apt-get could not download {package}: {(got.stderr.strip().splitlines() or ['no message'])[-1]}")
    output_of("dpkg-deb", "-x", str(packages[0]), str(download / "tree"))
    (download / "tree").rename(unpacked)
    return unpacked


def kernel_of(directory):
    """(the kernel's image, the directory of its modules)."""
    depends = subprocess.run(["apt-cache", "depends", KERNEL_PACKAGE], check=False, capture_output=True, text=True).stdout
    name = re.search(r"Depends: (linux-image-\S+)", depends)
    if not name:
        raise Missing(f"apt-cache knows no package {KERNEL_PACKAGE} (apt-get update?)")
    unpacked = fetch(name[1], directory)
    images, modules = list(unpacked.glob("boot/vmlinuz-*")), list(unpacked.glob("**/lib/modules/*"))
    if not images or not modules:
        raise Missing(f"{name[1]} holds no kernel image, or no modules")
    return images[0], modules[0]


def modules_in_order(directory):
    """The wanted modules after those they depend on, as their own .modinfo says: (file name, bytes)."""
    files = {path.name.split(".")[0].replace("-", "_"): path for path in directory.glob("kernel/**/*.ko*")}
    done = {}

    def add(name):
        if name in done or name not in files:
            return  # one that is no file is built in
        data = files[name].read_bytes()
        if files[name].suffix == ".xz":
            import lzma  # pylint: disable=import-outside-toplevel
            data = lzma.decompress(data)
        for other in filter(None, re.search(rb"\0depends=([^\0]*)\0", data)[1].decode().split(",")):
            add(other.replace("-", "_"))
        done[name] = data

    for name in MODULES:
        add(name)
    return [(f"{name}.ko", data) for name, data in done.items()]


def cpio(entries):
    """An archive in the "newc" format that the kernel unpacks: (name, mode, bytes) each."""
    parts = []
    for number, (name, mode, data) in enumerate([*entries, ("TRAILER!!!", 0, b"")], 1):
        fields = [number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0]
        head = b"070701" + b"".join(b"%08x" % field for field in fields) + name.encode() + b"\0"
        parts += [head, bytes(-len(head) % 4), data, bytes(-len(data) % 4)]
    return b"".join(parts)


def make_initramfs(directory, busybox, modules):
    init = INIT.format(modules=" ".join(name for name, _ in modules)).encode()
    folders = [(name, stat.S_IFDIR | 0o755, b"") for name in ("bin", "dev", "root")]
    files = [("bin/busybox", stat.S_IFREG | 0o755, busybox.read_bytes()), ("init", stat.S_IFREG | 0o755, init),
             *((name, stat.S_IFREG | 0o644, data) for name, data in modules)]
    path = directory / "initramfs"
    path.write_bytes(cpio([*folders, *files]))
    return path


def boot(directory, kernel, initramfs, disk, limit):
    """Runs the guest to its end and shows its console; False when it was not there within the limit."""
    report = directory / "report.xml"
    report.unlink(missing_ok=True)
    command = ["qemu-system-x86_64", "-nodefaults", "-no-reboot", "-display", "none", "-accel",
               "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", str(MEMORY_MIB), "-kernel", str(kernel),
               "-initrd", str(initramfs), "-append", "console=ttyS0 quiet panic=-1 random.trust_cpu=on mitigations=off",
               "-drive", f"file={disk},format=raw,if=virtio,cache=unsafe",
               "-serial", "stdio", "-serial", f"file:{report}"]
    end = time.monotonic() + limit
    with open(directory / "console.log", "wb") as log, selectors.DefaultSelector() as ready, \
            subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as guest:
        ready.register(guest.stdout, selectors.EVENT_READ)
        while (left := end - time.monotonic()) > 0:
            if not ready.select(left):
                continue
            data = os.read(guest.stdout.fileno(), 65536)
            if not data:
                return True
            log.write(data)
            log.flush()
            sys.stdout.buffer.write(data.replace(b"\r", b""))
            sys.stdout.flush()
        guest.kill()
    return False


def counts(report):
    """(passed, failed, skipped) of pytest's report; None when the guest wrote none, or not all of it."""
    try:
        cases = list(ElementTree.parse(report).getroot().iter("testcase"))
    except (OSError, ElementTree.ParseError):
        return None
    failed = sum(case.find("failure") is not None or case.find("error") is not None for case in cases)
    skipped = sum(case.find("skipped") is not None for case in cases)
    return len(cases) - failed - skipped, failed, skipped


def arguments_of(words):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=TOP / "build", help="where the programs were built")
    parser.add_argument("--directory", type=Path, help="what is downloaded and made (BUILD/v2-host)")
    parser.add_argument("--limit", type=int, default=1200, help="seconds until the guest is ended")
    parser.add_argument("--shell", default="", help="run this text in the guest's shell instead of pytest")
    arguments, arguments.tests = parser.parse_known_args(words)
    arguments.tests = arguments.tests or DEFAULT_TESTS
    arguments.build = arguments.build.resolve()
    arguments.directory = (arguments.directory or arguments.build / "v2-host").resolve()
    return arguments


def main():
    arguments = arguments_of(sys.argv[1:])
    directory = arguments.directory
    try:
        os.environ["PATH"] += ":/usr/sbin:/sbin"  # mke2fs, of an ordinary user
        missing = [name for name in TOOLS if not shutil.which(name)]
        if missing or os.uname().machine != "x86_64":
            raise Missing(f"needs an x86-64 machine with {', '.join(missing or TOOLS)} (Debian: qemu-system-x86 e2fsprogs)")
        directory.mkdir(parents=True, exist_ok=True)
        kernel, modules = kernel_of(directory)
        busybox = next(fetch("busybox-static", directory).glob("**/bin/busybox"))
        disk = make_disk(directory, arguments.build, arguments)
    except Missing as why:
        print(f"skipped  v2-host: {why}\n0 passed, 0 failed, 1 skipped")
        return 0
    began = time.monotonic()
    finished = boot(directory, kernel, make_initramfs(directory, busybox, modules_in_order(modules)), disk, arguments.limit)
    disk.unlink()
    took = time.monotonic() - began
    if arguments.shell:
        return 0 if finished else 1
    found = counts(directory / "report.xml")
    if not finished or not found:
        print(f"v2-host: the guest {'ended without a report' if finished else 'was ended'} after {took:.0f} s: "
              f"{directory}/console.log")
        return 1
    print(f"v2-host: {kernel.name}, {took:.0f} s, console in {directory}/console.log")
    print(f"{found[0]} passed, {found[1]} failed, {found[2]} skipped")
    return 1 if found[1] or not found[0] else 0


if __name__ == "__main__":
    sys.exit(main())
