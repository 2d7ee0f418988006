/* SPDX-License-Identifier: MIT */
/* Memory of every make, so much of it that the peak is known: memory-known NAME MIB MS. Each states the peak of the whole, its pages counted once, and
 * of the largest process. */
#include "known_memory.h"
#include "load.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

void known_peak(size_t job, size_t process)
{
	ledger->memory_peak_bytes = job;
	ledger->memory_process_bytes = process;
}

void known_refused(const char *what)
{
	fprintf(stderr, "load: %s: %s\n", what, strerror(errno));
	_exit(EXIT_REFUSED);
}

char *known_map(size_t size, int flags, int fd)
{
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (memory == MAP_FAILED)
		die("mmap");
	return memory;
}

int known_memfd(size_t size)
{
	int fd = memfd_create("known", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0 || ftruncate(fd, (off_t) size) < 0)
		die("memfd_create");
	return fd;
}

void known_read(const char *memory, size_t size)
{
	volatile char sum = 0;

	for (size_t i = 0; i < size; i += 4096)
		sum = (char) (sum ^ memory[i]);
}

void known_meet(uint32_t all, uint64_t ms)
{
	ledger->arrived++;
	await_count(&ledger->arrived, all);
	idle_ms(ms);
}

size_t known_present(char *memory, size_t size)
{
	static unsigned char pages[1 << 16];
	size_t n = 0;

	if (mincore(memory, size, pages) < 0)
		die("mincore");
	for (size_t i = 0; i < size / 4096; i++)
		n += pages[i] & 1;
	return n * 4096;
}

static void times(size_t size, uint64_t ms, int n, int flags, int fd)
{
	for (int i = 0; i < n; i++)
		known_read(known_map(size, flags, fd), size);
	idle_ms(ms);
	known_peak(size, size);
}

static void memfd_five_times(size_t size, uint64_t ms)
{
	int fd = known_memfd(size);

	touch(known_map(size, MAP_SHARED, fd), size);
	times(size, ms, 4, MAP_SHARED, fd);
}

static void private_views_of_a_memfd(size_t size, uint64_t ms)
{
	int fd = known_memfd(size);

	touch(known_map(size, MAP_SHARED, fd), size);
	times(size, ms, 3, MAP_PRIVATE, fd);
}

/* One in a thousand pages is there, mapped in more parts than are listed of a process. */
static void many_small_views(size_t size, uint64_t ms)
{
	const size_t part = 16 * 4096;
	int fd = known_memfd(part);

	for (size_t i = 0; i < size / part; i++)
		touch(known_map(part, MAP_SHARED, fd), part);
	idle_ms(ms);
	known_peak(part, part);
}

static void file_three_times(size_t size, uint64_t ms)
{
	char path[] = "known-XXXXXX";
	int fd = mkostemp(path, O_CLOEXEC);

	if (fd < 0 || unlink(path) < 0 || posix_fallocate(fd, 0, (off_t) size) != 0)
		die(path);
	times(size, ms, 3, MAP_PRIVATE, fd);
}

static void remapped_views(size_t size, uint64_t ms)
{
	char *memory = known_map(size, MAP_SHARED | MAP_ANONYMOUS, -1);

	touch(memory, size);
	for (int i = 0; i < 3; i++) {
		char *other = mremap(memory, 0, size, MREMAP_MAYMOVE);
		if (other == MAP_FAILED)
			die("mremap");
		touch(other, size);
	}
	idle_ms(ms);
	known_peak(size, size);
}

static void posix_twice(size_t size, uint64_t ms)
{
	char name[64];
	snprintf(name, sizeof(name), "/assay-known-%d", (int) getpid());
	int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);

	if (fd < 0 || shm_unlink(name) < 0 || ftruncate(fd, (off_t) size) < 0)
		die("shm_open");
	touch(known_map(size, MAP_SHARED, fd), size);
	times(size, ms, 1, MAP_SHARED, fd);
}

/* Who made it has ended; it is mapped by nobody then. */
static void system_v_left(size_t size, uint64_t ms)
{
	int id = shmget(IPC_PRIVATE, size, IPC_CREAT | 0600);

	if (id < 0)
		die("shmget");
	if (fork_counted() == 0) {
		char *memory = shmat(id, NULL, 0);
		if (memory == (void *) -1)
			die("shmat");
		touch(memory, size);
		_exit(0);
	}
	reap_all();
	idle_ms(ms);
	shmctl(id, IPC_RMID, NULL);
	known_peak(size, size);
}

static void truncated(size_t size, uint64_t ms)
{
	int fd = known_memfd(size);

	touch(known_map(size, MAP_SHARED, fd), size);
	if (ftruncate(fd, (off_t) size / 4) < 0)
		die("ftruncate");
	touched(size / 2);
	idle_ms(ms);
	known_peak(size, size);
}

static void punched(size_t size, uint64_t ms)
{
	int fd = known_memfd(size);

	touch(known_map(size, MAP_SHARED, fd), size);
	if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t) size / 2) < 0)
		die("fallocate");
	touched(size / 2);
	idle_ms(ms);
	known_peak(size, size);
}

static void allocated_only(size_t size, uint64_t ms)
{
	if (fallocate(known_memfd(size), 0, 0, (off_t) size) < 0)
		die("fallocate");
	idle_ms(ms);
	known_peak(size, 0);
}

static void sealed_and_read_by_others(size_t size, uint64_t ms)
{
	int fd = known_memfd(size);
	char *memory = known_map(size, MAP_SHARED, fd);

	touch(memory, size);
	munmap(memory, size);
	if (fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW) < 0)
		die("seals");
	for (int i = 0; i < 3; i++)
		if (fork_counted() == 0) {
			known_read(known_map(size, MAP_PRIVATE, fd), size);
			known_meet(3, ms);
			_exit(0);
		}
	reap_all();
	known_peak(size, size);
}

/* Half of what was read of a private mapping is written: the memfd has the whole beside the copies. */
static void written_private_view(size_t size, uint64_t ms)
{
	int fd = known_memfd(size);
	char *memory = known_map(size, MAP_SHARED, fd);

	touch(memory, size);
	munmap(memory, size);
	memory = known_map(size, MAP_PRIVATE, fd);
	known_read(memory, size);
	touch(memory, size / 2);
	idle_ms(ms);
	known_peak(size + size / 2, size);
}

static void populated(size_t size, uint64_t ms)
{
	char *memory = known_map(size, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1);

	idle_ms(ms);
	size = known_present(memory, size);
	known_peak(size, size);
}

static void locked(size_t size, uint64_t ms)
{
	char *memory = known_map(size, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	if (mlock(memory, size) < 0)
		known_refused("mlock");
	idle_ms(ms);
	size = known_present(memory, size);
	known_peak(size, size);
}

static void grown_by_mremap(size_t size, uint64_t ms)
{
	char *memory = touched(size / 2);

	memory = mremap(memory, size / 2, size, MREMAP_MAYMOVE);
	if (memory == MAP_FAILED)
		die("mremap");
	touch(memory, size);
	idle_ms(ms);
	known_peak(size, size);
}

static void moved_and_kept(size_t size, uint64_t ms)
{
	char *memory = touched(size / 2);

	if (mremap(memory, size / 2, size / 2, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, NULL) ==
		MAP_FAILED)
		known_refused("MREMAP_DONTUNMAP");
	touch(memory, size / 2);
	idle_ms(ms);
	known_peak(size, size);
}

static void advised(size_t size, uint64_t ms, int advice)
{
	char *memory = touched(size / 2);

	if (madvise(memory, size / 2, advice) < 0)
		known_refused("madvise");
	size_t kept = known_present(memory, size / 2);
	touched(size / 2);
	idle_ms(ms);
	known_peak(size / 2 + kept, size / 2 + kept);
}

static void given_back(size_t size, uint64_t ms)
{
	advised(size, ms, MADV_DONTNEED);
}

static void free_to_take(size_t size, uint64_t ms)
{
	advised(size, ms, MADV_FREE);
}

static void cold(size_t size, uint64_t ms)
{
	advised(size, ms, MADV_COLD);
}

static void mergeable(size_t size, uint64_t ms)
{
	advised(size, ms, MADV_MERGEABLE);
}

static void huge_by_advice(size_t size, uint64_t ms)
{
	char *memory = known_map(size, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	madvise(memory, size, MADV_HUGEPAGE);
	for (size_t i = 0; i < size; i += 2 * MIB)
		memory[i] = 1;
	idle_ms(ms);
	size = known_present(memory, size);
	known_peak(size, size);
}

static void closed_to_itself(size_t size, uint64_t ms)
{
	char *memory = touched(size);

	if (mprotect(memory, size, PROT_NONE) < 0)
		die("mprotect");
	idle_ms(ms);
	known_peak(size, size);
}

static void wiped_on_fork(size_t size, uint64_t ms)
{
	char *memory = touched(size / 2);

	if (madvise(memory, size / 2, MADV_WIPEONFORK) < 0)
		die("madvise");
	if (fork_counted() == 0) {
		touch(memory, size / 2);
		known_meet(2, ms);
		_exit(0);
	}
	known_meet(2, ms);
	reap_all();
	known_peak(size, size / 2);
}

/* Half of it copied, half of it the page of zeros, which is nobody's. */
static void by_userfaultfd(size_t size, uint64_t ms)
{
	int fd = (int) syscall(SYS_userfaultfd, O_CLOEXEC | 1 /* UFFD_USER_MODE_ONLY */);
	struct uffdio_api api = { .api = UFFD_API };
	char *memory = known_map(size, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	struct uffdio_register r = { .range = { (uintptr_t) memory, size },
		.mode = UFFDIO_REGISTER_MODE_MISSING };
	char *source = touched(MIB);

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) < 0 || ioctl(fd, UFFDIO_REGISTER, &r) < 0)
		known_refused("userfaultfd");
	for (size_t at = 0; at < size / 2; at += MIB) {
		struct uffdio_copy c = {
			.dst = (uintptr_t) memory + at, .src = (uintptr_t) source, .len = MIB
		};
		if (ioctl(fd, UFFDIO_COPY, &c) < 0)
			die("UFFDIO_COPY");
	}
	struct uffdio_zeropage z = { .range = { (uintptr_t) memory + size / 2, size / 2 } };
	if (ioctl(fd, UFFDIO_ZEROPAGE, &z) < 0)
		die("UFFDIO_ZEROPAGE");
	idle_ms(ms);
	known_peak(size / 2 + MIB, size / 2 + MIB);
}

static void *deep_stack(void *context)
{
	char room[MIB];
	const uint64_t *ms = context;

	for (size_t i = 0; i < sizeof(room); i += 4096)
		((volatile char *) room)[i] = 1;
	known_meet(32, *ms);
	return NULL;
}

static void stacks_of_threads(size_t size, uint64_t ms)
{
	pthread_t threads[32];

	(void) size;
	for (int i = 0; i < 32; i++)
		if (pthread_create(&threads[i], NULL, deep_stack, &ms) != 0)
			die("pthread_create");
	for (int i = 0; i < 32; i++)
		pthread_join(threads[i], NULL);
	ledger->threads += 32;
	known_peak(32 * MIB, 32 * MIB);
}

static void heap_that_shrinks(size_t size, uint64_t ms)
{
	char *heap = sbrk((intptr_t) size);

	if (heap == (void *) -1)
		die("sbrk");
	touch(heap, size);
	idle_ms(ms / 2);
	if (sbrk(-(intptr_t) size) == (void *) -1)
		die("sbrk");
	touched(size / 2);
	idle_ms(ms / 2);
	known_peak(size, size);
}

/* One page in two MiB: as much again are the tables of pages, which are the kernel's. */
static void tables_of_pages(size_t size, uint64_t ms)
{
	size_t n = size / 2 / 4096;
	char *memory = mmap(NULL, n * 2 * MIB, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		known_refused("mmap");
	for (size_t i = 0; i < n; i++)
		memory[i * 2 * MIB] = 1;
	idle_ms(ms);
	known_peak(n * 4096, n * 4096);
}

const struct known_memory known_memory_alone[] = {
	{ "memfd-five-times", memfd_five_times },
	{ "private-views-of-a-memfd", private_views_of_a_memfd },
	{ "many-small-views", many_small_views },
	{ "file-three-times", file_three_times },
	{ "remapped-views", remapped_views },
	{ "posix-twice", posix_twice },
	{ "system-v-left", system_v_left },
	{ "truncated", truncated },
	{ "punched", punched },
	{ "allocated-only", allocated_only },
	{ "sealed-and-read-by-others", sealed_and_read_by_others },
	{ "written-private-view", written_private_view },
	{ "populated", populated },
	{ "locked", locked },
	{ "grown-by-mremap", grown_by_mremap },
	{ "moved-and-kept", moved_and_kept },
	{ "given-back", given_back },
	{ "free-to-take", free_to_take },
	{ "cold", cold },
	{ "mergeable", mergeable },
	{ "huge-by-advice", huge_by_advice },
	{ "closed-to-itself", closed_to_itself },
	{ "wiped-on-fork", wiped_on_fork },
	{ "by-userfaultfd", by_userfaultfd },
	{ "stacks-of-threads", stacks_of_threads },
	{ "heap-that-shrinks", heap_that_shrinks },
	{ "tables-of-pages", tables_of_pages },
	{ 0 },
};

static const struct known_memory *find(const char *name, const struct known_memory *group)
{
	for (; group->name; group++)
		if (strcmp(group->name, name) == 0)
			return group;
	return NULL;
}

/* What ends by a signal states its truth itself. */
static int memory_known(char **arguments)
{
	const struct known_memory *known = find(arguments[0], known_memory_alone);

	if (!known)
		known = find(arguments[0], known_memory_several);
	if (!known) {
		errno = EINVAL;
		die(arguments[0]);
	}
	known->run(number(arguments[1]) * MIB, number(arguments[2]));
	truth_write();
	return 0;
}

const struct load known_memory_loads[] = {
	{ "memory-known", "NAME MIB MS", 3, memory_known },
	{ 0 },
};
