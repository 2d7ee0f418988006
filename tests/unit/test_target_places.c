/* SPDX-License-Identifier: MIT */
/* Targets that are a place among the cgroups: a path, a Slurm job, a container; and the small parsers they need. */
#include "target_test.h"

#include <pwd.h>
#include <unistd.h>

#include "linux/cgroup_lines.h"
#include "linux/containers.h"
#include "linux/proc_owner.h"
#include "linux/slurm_names.h"

#define MOUNTS                                                                                     \
	"26 0 253:0 / / rw - ext4 /dev/sda1 rw\n"                                                  \
	"30 26 0:26 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"                            \
	"31 26 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"                        \
	"32 26 0:28 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define ID2 "0123456789abffff0123456789abcdef0123456789abcdef0123456789abcdef"

static void put_at(const struct made_tree *t, int pid, const char *cgroup)
{
	put_process(t, (struct made_process){ .pid = pid, .cgroup = cgroup });
}

static void open_hybrid(struct made_tree *t)
{
	tree_open(t, MOUNTS);
	tree_put(t, "proc/self/cgroup", "3:cpu,cpuacct:/\n2:memory:/a/own\n0::/\n");
	tree_path(t, "sys/fs/cgroup/memory/a/own/");
	tree_path(t, "sys/fs/cgroup/memory/ab/");
	tree_path(t, "sys/fs/cgroup/cpu,cpuacct/a/");
	put_at(t, 1, "3:cpu,cpuacct:/\n2:memory:/\n0::/\n");
	put_at(t, 5, "3:cpu,cpuacct:/a\n2:memory:/\n0::/\n");
	put_at(t, 6, "3:cpu,cpuacct:/\n2:memory:/a\n0::/\n");
	put_at(t, 7, "3:cpu,cpuacct:/\n2:memory:/a/own/deep\n0::/\n");
	put_at(t, 8, "3:cpu,cpuacct:/\n2:memory:/ab\n0::/\n");
	put_at(t, 9, "3:cpu,cpuacct:/\n2:memory:/\n0::/only/here\n");
}
static const int everybody[] = { 1, 5, 6, 7, 8, 9, 0 };

static void a_cgroup_holds_those_below_it_and_no_namesake(void **state)
{
	struct made_tree t;
	struct target own;
	(void) state;

	open_hybrid(&t);
	assert_members(&t, "cgroup:/a", LIST(5, 6, 7), everybody);
	assert_members(&t, "cgroup:/a/", LIST(5, 6, 7), everybody);
	assert_members(&t, "cgroup:memory:/a", LIST(6, 7), everybody);
	assert_members(&t, "cgroup:cpuacct:/a", LIST(5), everybody);
	assert_members(&t, "cgroup:/sys/fs/cgroup/memory/a", LIST(6, 7), everybody);
	assert_members(&t, "cgroup:/sys/fs/cgroup/cpu,cpuacct/a", LIST(5), everybody);
	assert_members(&t, "cgroup:/ab", LIST(8), everybody);
	/* no directory that we see, but somebody is in it */
	assert_members(&t, "cgroup::/only", LIST(9), everybody);
	assert_members(&t, "cgroup:/", LIST(1, 5, 6, 7, 8, 9), everybody);
	/* of version 2 we are at the top, which says nothing */
	assert_members(&t, "cgroup", LIST(7), everybody);
	own = resolved(&t, "cgroup");
	assert_string_equal(own.text, "cgroup:memory:/a/own");
	assert_string_equal(own.people, "cgroup /a/own (memory)");
	assert_int_equal(own.terms[0].n_cgroups, 1);
	assert_string_equal(own.terms[0].cgroups[0], "/a/own");
	target_done(&own);
	own = resolved(&t, "cgroup:/sys/fs/cgroup/cpu,cpuacct/a");
	assert_string_equal(own.text, "cgroup:cpu:/a");
	target_done(&own);
	tree_close(&t);
}

static void a_long_list_of_cgroups_is_read_to_its_end(void **state)
{
	static char lines[6000];
	struct made_tree t;
	size_t n = 0;
	(void) state;

	tree_open(&t, MOUNTS);
	tree_put(&t, "proc/self/cgroup", "0::/\n");
	for (int i = 20; i > 1; i--)
		n += (size_t) snprintf(
			lines + n, sizeof(lines) - n, "%d:name=h%d:/%0200d\n", i, i, i);
	snprintf(lines + n, sizeof(lines) - n, "0::/far\n");
	put_at(&t, 5, lines);
	put_at(&t, 6, "0::/\n");
	assert_members(&t, "cgroup:/far", LIST(5), LIST(5, 6));
	tree_close(&t);
}

static void a_cgroup_that_is_not_there_or_empty_is_told_apart(void **state)
{
	struct made_tree t;
	(void) state;

	open_hybrid(&t);
	tree_path(&t, "sys/fs/cgroup/memory/empty/");
	assert_no_resolve(&t.roots, "cgroup:/b", -ENOENT, "there is no cgroup /b here");
	assert_no_resolve(&t.roots, "cgroup:cpu:/ab", -ENOENT, "there is no cgroup cpu:/ab here");
	assert_no_resolve(&t.roots, "cgroup:/sys/fs/cgroup/memory/b", -ENOENT,
		"there is no cgroup memory:/b here");
	assert_no_resolve(&t.roots, "cgroup:/empty", -ESRCH, "no process belongs to the target");
	tree_close(&t);
}

static void a_place_in_slurm_is_read_from_paths_of_both_versions(void **state)
{
	static const struct {
		const char *path;
		uint64_t job;
		const char *step;
		size_t n_job, n_step;
	} all[] = {
		{ "/slurm/uid_1000/job_7/step_0/task_0", 7, "0", 21, 28 },
		{ "/slurm_node1/uid_1000/job_7/step_batch", 7, "batch", 27, 38 },
		{ "/slurm/uid_1000/job_7/step_4294967291", 7, "batch", 21, 37 },
		{ "/slurm/uid_1000/job_12", 12, "", 22, 0 },
		{ "/system.slice/slurmstepd.scope/job_12/step_extern/user/task_0", 12, "extern", 37,
			49 },
		{ "/system.slice/n1_slurmstepd.scope/job_12/step_3/slurm", 12, "3", 40, 47 },
		{ "/system.slice/slurmd.service/job_9/step_1", 9, "1", 34, 41 },
		{ "/../../slurm/uid_0/job_1/step_0", 1, "0", 24, 31 },
		{ "/slurm/uid_1000/job_7/task_0", 7, "", 21, 0 },
	};
	static const char *const none[] = {
		"/",
		"/slurm",
		"/slurm/uid_1000",
		"/slurm/job_7",
		"/job_7/step_0",
		"/user.slice/uid_1/job_7",
		"/slurm/uid_1/job_",
		"/slurm/uid_1/job_7x",
		"/slurm/uid_1/job_-1",
		"/slurmy/uid_1/job_7",
		"/slurm/uid_1/x/job_7",
		"/slurm/uid_1/job_0",
		"/slurm/uid_1/job_99999999999999999999",
		"/system.slice/slurmstepd.scope/system",
		"/my.service/job_7",
	};
	struct slurm_place p;
	(void) state;

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		assert_true(slurm_place_in_path(all[i].path, strlen(all[i].path), &p));
		assert_int_equal(p.job, all[i].job);
		assert_string_equal(p.step, all[i].step);
		assert_int_equal(p.n_job, all[i].n_job);
		assert_int_equal(p.n_step, all[i].n_step);
	}
	for (size_t i = 0; i < ARRAY_SIZE(none); i++)
		assert_false(slurm_place_in_path(none[i], strlen(none[i]), &p));
	/* the hierarchy that goes down to the step knows more */
	assert_true(slurm_place_in_cgroups("4:memory:/slurm/uid_1/job_7\n3:cpuset:/\n"
					   "2:freezer:/slurm/uid_1/job_7/step_2\n",
		&p));
	assert_string_equal(p.step, "2");
	assert_false(slurm_place_in_cgroups("4:memory:/slurm/uid_1/job_7", &p));
}

static void a_slurm_job_is_known_by_cgroup_before_environment(void **state)
{
	static const int jobs[] = { 2, 3, 4, 5, 6, 7, 8, 9, 0 };
	struct made_tree t;
	struct target job;
	int error;
	(void) state;

	tree_open(&t, MOUNTS);
	put_at(&t, 2, "2:memory:/slurm/uid_1000/job_1/step_0/task_0\n");
	put_at(&t, 3, "2:memory:/slurm/uid_1000/job_1/step_batch\n");
	put_at(&t, 4, "2:memory:/slurm/uid_1000/job_12/step_0\n");
	put_at(&t, 5, "0::/system.slice/slurmstepd.scope/job_1/step_0/user/task_1\n");
	put_process(&t, (struct made_process){
				.pid = 6, .environment = "A=1|SLURM_JOB_ID=1|SLURM_STEP_ID=0" });
	put_process(
		&t, (struct made_process){ .pid = 7,
			    .environment = "XSLURM_JOB_ID=1|SLURM_JOB_ID=12|B=SLURM_JOB_ID=1" });
	/* its environment is of the job it was submitted from */
	put_process(&t, (struct made_process){ .pid = 8,
				.cgroup = "2:memory:/slurm/uid_1/job_12/step_0\n",
				.environment = "SLURM_JOB_ID=1" });
	put_process(&t, (struct made_process){ .pid = 9, .environment = "SLURM_STEP_ID=0" });
	assert_members(&t, "slurm:1", LIST(2, 3, 5, 6), jobs);
	assert_members(&t, "slurm:12", LIST(4, 7, 8), jobs);
	assert_members(&t, "slurm:1.0", LIST(2, 5, 6), jobs);
	assert_members(&t, "slurm:1.batch", LIST(3), jobs);
	assert_no_resolve(&t.roots, "slurm:2", -ESRCH,
		"no process belongs to the target slurm:2, Slurm job 2");
	assert_no_resolve(&t.roots, "slurm:1.7", -ESRCH, "Slurm job 1, step 7");

	job = resolved(&t, "slurm:1");
	assert_int_equal(job.terms[0].n_cgroups, 2);
	/* where the environment may not be read, the cgroup decides; where that says nothing, it is told */
	tree_remove(&t, "proc/2/environ");
	tree_remove(&t, "proc/6/environ");
	assert_true(belongs_as(&job, &t.roots, 2, (struct target_candidate){ 0 }, &error));
	assert_int_equal(error, 0);
	assert_false(belongs_as(&job, &t.roots, 6, (struct target_candidate){ 0 }, &error));
	assert_int_equal(error, ENOENT);
	target_done(&job);
	tree_close(&t);
}

static struct slurm_place environment(const char *words, size_t n, size_t piece)
{
	struct slurm_environ e = { 0 };

	for (size_t at = 0; at < n; at += piece)
		slurm_environ_add(&e, words + at, n - at < piece ? n - at : piece);
	return e.place;
}
#define ENVIRONMENT(words, piece) environment(words, sizeof(words), piece)

static void an_environment_is_read_in_pieces_of_any_size(void **state)
{
	static const char words[] =
		"PATH=/bin\0SLURM_JOBID=3\0SLURM_JOB_ID=77\0SLURM_STEP_ID=4294967290\0Z=";
	(void) state;

	for (size_t piece = 1; piece < sizeof(words); piece++) {
		struct slurm_place p = ENVIRONMENT(words, piece);

		assert_int_equal(p.job, 77);
		assert_string_equal(p.step, "interactive");
	}
	assert_int_equal(ENVIRONMENT("SLURM_JOBID=3", 4).job, 3);
	assert_int_equal(ENVIRONMENT("SLURM_JOB_ID=5\0SLURM_JOBID=3", 4).job, 5);
	assert_int_equal(ENVIRONMENT("SLURM_JOB_ID=", 4).job, 0);
	assert_int_equal(ENVIRONMENT("SLURM_JOB_ID", 4).job, 0);
	assert_int_equal(ENVIRONMENT("SLURM_JOB_ID=1x", 4).job, 0);
	assert_int_equal(
		ENVIRONMENT("SLURM_JOB_ID=00000000000000000000000000000000000000000000007", 4).job,
		0);
	assert_int_equal(ENVIRONMENT("SLURM_JOB_ID_X=1", 4).job, 0);
}

static void an_id_is_found_in_every_form_of_path(void **state)
{
	static const struct {
		const char *path;
		size_t n;
	} all[] = {
		{ "/docker/" ID, 72 },
		{ "/docker/" ID "/system.slice/x.service", 72 },
		{ "/system.slice/docker-" ID ".scope", 91 },
		{ "/system.slice:docker:" ID, 85 },
		{ "/machine.slice/libpod-" ID ".scope/container", 92 },
		{ "/kubepods.slice/kubepods-pod7.slice/cri-containerd-" ID ".scope", 121 },
		{ "/../crio-" ID, 73 },
	};
	static const char *const none[] = { "/", "/docker",
		"/machine.slice/libpod-conmon-" ID ".scope", "/docker/x" ID, "/docker/" ID "0",
		"/docker/0123456789ab", "/docker/" ID2 };
	char id[CONTAINER_ID_SIZE];
	size_t n;
	(void) state;

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		assert_true(container_in_path(
			all[i].path, strlen(all[i].path), "0123456789abcd", &n, id));
		assert_string_equal(id, ID);
		assert_int_equal(n, all[i].n);
	}
	for (size_t i = 0; i < ARRAY_SIZE(none); i++)
		assert_false(container_in_path(none[i], strlen(none[i]), "0123456789abcd", &n, id));
	assert_false(container_in_path("/" ID, 65, ID "0", &n, id));
	assert_true(container_is_id("0123456789ab"));
	assert_false(container_is_id("0123456789a"));
	assert_false(container_is_id("0123456789aB"));
	assert_false(container_is_id(ID "0"));
}

static const int contained[] = { 1, 5, 6, 7, 8, 0 };

static void open_docked(struct made_tree *t)
{
	tree_open(t, MOUNTS);
	put_at(t, 1, "0::/init.scope\n");
	put_at(t, 5, "2:memory:/docker/" ID "\n0::/system.slice/docker-" ID ".scope\n");
	put_at(t, 6, "2:memory:/docker/" ID "/inner\n0::/\n");
	put_at(t, 7, "0::/machine.slice/libpod-" ID2 ".scope/container\n");
	put_at(t, 8, "0::/machine.slice/libpod-conmon-" ID2 ".scope\n");
}

static void a_container_is_found_by_its_id_without_any_file(void **state)
{
	struct made_tree t;
	struct target c;
	(void) state;

	open_docked(&t);
	assert_members(&t, "container:" ID, LIST(5, 6), contained);
	assert_members(&t, "container:0123456789abcd", LIST(5, 6), contained);
	assert_members(&t, "container:0123456789abf", LIST(7), contained);
	c = resolved(&t, "container:" ID);
	assert_int_equal(c.terms[0].n_cgroups, 2);
	assert_string_equal(c.terms[0].cgroups[1], "/system.slice/docker-" ID ".scope");
	target_done(&c);
	assert_no_resolve(&t.roots, "container:0123456789ab", -EINVAL,
		"0123456789ab begins the ids of several containers: give more of it");
	assert_no_resolve(&t.roots, "container:ffffffffffff", -ENOENT,
		"there is no container ffffffffffff: neither a cgroup of that id");
	tree_close(&t);
}

#define DOCKER(id, name)                                                                           \
	"{\"StreamConfig\":{},\"State\":{\"Running\":true,\"Pid\":5,\"Name\":\"/"                  \
	"inner\"},\"ID\":\"" id "\","                                                              \
	"\"Config\":{\"Env\":[\"ID=x\",\"Name\"],\"Name\":\"/env\"},\"Name\":\"/" name             \
	"\",\"Driver\":\"overlay2\"}\n"

static void names_are_looked_up_in_what_engines_keep(void **state)
{
	struct made_tree t;
	struct passwd *me = getpwuid(getuid());
	char host[256] = "", path[400];
	(void) state;

	open_docked(&t);
	setenv("HOME", "/home/me", 1);
	tree_put(&t, "var/lib/docker/containers/" ID "/config.v2.json", DOCKER(ID, "web"));
	tree_put(&t, "var/lib/docker/containers/" ID2 "/config.v2.json", "{\"Name\":\"/we");
	tree_put(&t, "var/lib/containers/storage/overlay-containers/containers.json",
		"[{\"id\":\"" ID2
		"\",\"names\":[\"a\",\"d\\u0062\"],\"metadata\":\"{\\\"names\\\":\\\"web\\\"}\"},"
		"{\"id\":\"" ID "\",\"names\":[\"dbx\"]}]");
	assert_members(&t, "container:web", LIST(5, 6), contained);
	assert_members(&t, "container:db", LIST(7), contained);
	assert_members(&t, "container:a", LIST(7), contained);
	assert_no_resolve(&t.roots, "container:inner", -ENOENT, "there is no container inner");
	assert_no_resolve(&t.roots, "container:we", -ENOENT, "there is no container we");

	gethostname(host, sizeof(host) - 1);
	snprintf(path, sizeof(path), "home/me/.apptainer/instances/app/%s/%s/job/job.json", host,
		me ? me->pw_name : "x");
	tree_put(&t, path,
		"{\"pid\":8,\"ppid\":7,\"name\":\"job\",\"user\":\"me\",\"config\":\"eyJ9\"}");
	struct target c = resolved(&t, "container:job");
	assert_int_equal(target_first_pid(&c), 8);
	assert_false(target_can_be_left(&c));
	assert_true(belongs(&c, &t, 8));
	assert_false(belongs(&c, &t, 7));
	assert_true(belongs_as(
		&c, &t.roots, 7, (struct target_candidate){ .parent_belongs = true }, NULL));
	target_done(&c);
	assert_no_resolve(&t.roots, "container:job+user:0", -EINVAL, "is a tree here");
	tree_remove(&t, "proc/8");
	assert_no_resolve(
		&t.roots, "container:job", -ESRCH, "the instance job: there is no process 8");

	/* the same name with two engines, and a container that does not run */
	tree_put(&t, "home/me/.local/share/containers/storage/vfs-containers/containers.json",
		"[{\"id\":\"" ID2 "\",\"names\":[\"web\"]}]");
	assert_no_resolve(
		&t.roots, "container:web", -EINVAL, "several engines have a container web");
	tree_remove(&t, "proc/7");
	assert_no_resolve(&t.roots, "container:db", -ESRCH,
		"container db of podman (0123456789ab) is not running");
	tree_close(&t);
}

static void a_place_that_is_closed_to_us_is_named(void **state)
{
	struct made_tree t;
	(void) state;

	open_docked(&t);
	tree_path(&t, "var/lib/docker/containers/");
	assert_int_equal(chmod(t.root, 0755), 0); /* mkdtemp(3) closes it to all others */
	assert_int_equal(chmod(tree_path(&t, "var/lib/docker").text, 0), 0);
	if (getuid() == 0 && seteuid(65534) != 0)
		fail();
	assert_no_resolve(&t.roots, "container:web", -EACCES,
		"/var/lib/docker/containers may not be read; give its id");
	assert_int_equal(seteuid(getuid()), 0);
	assert_int_equal(chmod(tree_path(&t, "var/lib/docker").text, 0700), 0);
	tree_close(&t);
}

static int in_docker(const char *text)
{
	struct container c;

	return container_in_docker(text, strlen(text), "web", &c);
}

static void what_is_no_state_file_is_refused(void **state)
{
	static const char *const none[] = { "", "nul", "#", "{", "[}", "]", "{\"Name",
		"{\"Name\":}", "{\"Name\":\"\\x\"}", "{\"Name\":\"\\u12\"}", "{\"Name\":\"a\nb\"}",
		"{\"Name\":\"\xff\"}", "{} {}", "{\"Name\":\"web\",\"Name\":\"db\"}",
		/* it is called so, and that is all */
		"{\"Name\":\"web\"}", "{\"Name\":\"web\",\"ID\":5}",
		"{\"Name\":\"web\",\"ID\":\"" ID "\\u0000\"}" };
	static const char *const others[] = { "{}", "[]", " {\"Name\" : [\"web\"], \"b\":null}\n",
		"[\"web\"]", "{\"Name\":\"web\\u0000\"}", "{\"Name\":\"//web\"}", "{\"Name\":\"\"}",
		"{\"State\":{\"Name\":\"web\"}}" };
	static char long_text[600001];
	struct container c;
	(void) state;

	for (size_t i = 0; i < ARRAY_SIZE(none); i++)
		assert_int_equal(in_docker(none[i]), -EINVAL);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_int_equal(in_docker(others[i]), -ENOENT);
	assert_int_equal(in_docker("{\"ID\":\"" ID "\",\"Name\":\"\\u002fweb\","
				   "\"Bytes\":18446744073709551615}"),
		0);

	/* whole: many values, and too many; then too deep */
	static const struct {
		size_t n;
		int r;
	} lists[] = { { 400001, -ENOENT }, { 600001, -EINVAL } };
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		for (size_t at = 1; at < lists[i].n; at++)
			long_text[at] = ",1"[at % 2];
		long_text[0] = '[';
		long_text[lists[i].n - 1] = ']';
		assert_int_equal(container_in_docker(long_text, lists[i].n, "web", &c), lists[i].r);
	}
	memset(long_text, '[', 100000);
	memset(long_text + 100000, ']', 100000);
	long_text[200000] = '\0';
	assert_int_equal(in_docker(long_text), -EINVAL);

	static const struct {
		const char *pid;
		int r;
	} pids[] = { { "8", 0 }, { "2147483647", 0 }, { "0", -EINVAL }, { "-8", -EINVAL },
		{ "8.5", -EINVAL }, { "2147483648", -EINVAL }, { "1e300", -EINVAL },
		{ "\"8\"", -EINVAL }, { "null", -EINVAL } };
	for (size_t i = 0; i < ARRAY_SIZE(pids); i++) {
		char text[80];

		snprintf(text, sizeof(text), "{\"pid\":%s,\"name\":\"job\"}", pids[i].pid);
		assert_int_equal(container_in_apptainer(text, strlen(text), "job", &c), pids[i].r);
	}
}

static void lines_and_owners_are_read_where_they_stand(void **state)
{
	static const char lines[] =
		"junk\n12:cpu,cpuacct:/a:b\n5::/v1-without\n0:memory:/x\n3:memory:relative\n"
		"1:name=systemd:/\n0::/v2\ncut:off:/z";
	static const char status[] =
		"Name:\tx\\nUid:\t1\nTgid:\t44\nPid:\t45\nUid:\t4294967294\t0\t0\t0\n";
	const char *at = lines;
	struct cgroup_line line;
	struct proc_owner owner;
	(void) state;

	assert_true(cgroup_line_next(&at, &line));
	assert_memory_equal(line.path, "/a:b", line.n_path);
	assert_int_equal(line.n_path, 4);
	assert_true(cgroup_line_of(&line, "cpuacct"));
	assert_false(cgroup_line_of(&line, "cpua"));
	assert_false(cgroup_line_of(&line, ""));
	assert_true(cgroup_line_next(&at, &line));
	assert_true(cgroup_line_of(&line, "name=systemd"));
	assert_true(cgroup_line_next(&at, &line));
	assert_true(cgroup_line_of(&line, ""));
	assert_false(cgroup_line_next(&at, &line));
	assert_true(cgroup_path_is_below("/a/b", 4, "/a"));
	assert_false(cgroup_path_is_below("/ab", 3, "/a"));
	assert_true(cgroup_path_is_below("/..a", 4, "/"));
	assert_false(cgroup_path_is_below("/../a", 5, "/"));
	assert_false(cgroup_path_is_below("/..", 3, "/"));
	assert_true(cgroup_path_is_below("/../a/b", 7, "/../a"));
	assert_int_equal(proc_owner_parse(status, strlen(status), &owner), 0);
	assert_int_equal(owner.tgid, 44);
	assert_int_equal(owner.uid, 4294967294U);
	for (size_t n = 0; n < 42; n++)
		assert_int_equal(proc_owner_parse(status, n, &owner), -EINVAL);
}

static void assert_in_fixture(const char *name, const char *words, int pid, const char *cgroup)
{
	char prefix[1024];
	struct roots roots;
	struct target t = parsed(words);
	struct error err = { 0 };

	snprintf(prefix, sizeof(prefix), "%s/%s", FIXTURES, name);
	assert_int_equal(roots_open(&roots, prefix, NULL), 0);
	if (target_resolve(&t, &roots, &err) < 0)
		fail_msg("%s: %s", words, err.text);
	assert_true(belongs_as(&t, &roots, pid, (struct target_candidate){ 0 }, NULL));
	assert_int_equal(t.terms[0].n_cgroups, 1);
	assert_string_equal(t.terms[0].cgroups[0], cgroup);
	target_done(&t);
	roots_close(&roots);
}

static void recorded_machines_have_their_jobs_and_containers(void **state)
{
	(void) state;
	assert_in_fixture("slurm-v1-rhel8", "slurm:4242", 4300, "/slurm/uid_1000/job_4242");
	assert_in_fixture(
		"slurm-v1-rhel8", "slurm:4242.0", 4300, "/slurm/uid_1000/job_4242/step_0");
	assert_in_fixture(
		"slurm-v2", "slurm:4242.0", 5200, "/system.slice/slurmstepd.scope/job_4242/step_0");
	assert_in_fixture("container-host-cgroupns", "container:" ID, 77, "/docker/" ID);
	assert_in_fixture("container-host-cgroupns", "container:0123456789ab", 77, "/docker/" ID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cgroup_holds_those_below_it_and_no_namesake),
		cmocka_unit_test(a_long_list_of_cgroups_is_read_to_its_end),
		cmocka_unit_test(a_cgroup_that_is_not_there_or_empty_is_told_apart),
		cmocka_unit_test(a_place_in_slurm_is_read_from_paths_of_both_versions),
		cmocka_unit_test(a_slurm_job_is_known_by_cgroup_before_environment),
		cmocka_unit_test(an_environment_is_read_in_pieces_of_any_size),
		cmocka_unit_test(an_id_is_found_in_every_form_of_path),
		cmocka_unit_test(a_container_is_found_by_its_id_without_any_file),
		cmocka_unit_test(names_are_looked_up_in_what_engines_keep),
		cmocka_unit_test(a_place_that_is_closed_to_us_is_named),
		cmocka_unit_test(recorded_machines_have_their_jobs_and_containers),
		cmocka_unit_test(what_is_no_state_file_is_refused),
		cmocka_unit_test(lines_and_owners_are_read_where_they_stand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
