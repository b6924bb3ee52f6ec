// SPDX-License-Identifier: Apache-2.0
// A program in which something goes wrong: faulty WHAT. See faults_test.cc.
#include <pthread.h>
#include <signal.h>
#include <starpu.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

namespace {

std::atomic<int> g_done;
std::atomic<bool> g_forked;

void Fine(void**, void*) { ++g_done; }
void Crash(void**, void*) {
  // Not null, which a sanitizer would find before the system does; nor known to the compiler.
  volatile uintptr_t address = 16;
  *reinterpret_cast<volatile int*>(address) = 1;
}
void Throw(void**, void*) { throw std::runtime_error("out of luck"); }
void Abort(void**, void*) { abort(); }
void Exit(void**, void*) { exit(3); }
void EndThread(void**, void*) { pthread_exit(nullptr); }
void Hang(void**, void*) {
  for (;;) pause();
}
void KillMe(void**, void*) { raise(SIGKILL); }
void UntilForked(void**, void*) { g_forked.wait(false); }

void Insert(starpu_cpu_func_t function, const char* name) {
  auto* codelet = new starpu_codelet();  // lives as long as its tasks may
  codelet->cpu_funcs[0] = function;
  codelet->name = name;
  if (starpu_task_insert(codelet, 0) != 0) exit(1);
}

void RunTenTasks() {
  for (int i = 0; i < 10; ++i) Insert(Fine, "fine");
  starpu_task_wait_for_all();
}

// While tasks run and others wait.
pid_t ForkAmongTasks() {
  for (int i = 0; i < 5; ++i) Insert(UntilForked, "until forked");
  fflush(stdout);
  const pid_t child = fork();
  g_forked = true;
  g_forked.notify_all();
  return child;
}

// The child has no workers; it starts its own.
int ForkAndRunInBoth() {
  const pid_t child = ForkAmongTasks();
  if (child == 0) {
    if (starpu_is_initialized()) return 10;
    auto* task = starpu_task_create();
    if (starpu_task_submit(task) != -ENODEV) return 11;
    starpu_task_destroy(task);
    if (starpu_init(nullptr) != 0) return 12;
    g_done = 0;
    RunTenTasks();
    starpu_shutdown();
    return g_done == 10 ? 0 : 13;
  }
  RunTenTasks();
  int status = 1;
  waitpid(child, &status, 0);
  starpu_shutdown();
  return WIFEXITED(status) ? WEXITSTATUS(status) : 14;
}

// The child waits for tasks that nobody will run.
int ForkAndWait() {
  const pid_t child = ForkAmongTasks();
  if (child == 0) {
    starpu_task_wait_for_all();
    return 0;
  }
  int status = 0;
  waitpid(child, &status, 0);
  RunTenTasks();
  starpu_shutdown();
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT ? 0 : 15;
}

// fork() from inside of a task, as system() does.
void Spawn(void**, void*) {
  const pid_t child = fork();
  if (child == 0) _exit(starpu_worker_get_id() == -1 ? 0 : 1);
  int status = 1;
  waitpid(child, &status, 0);
  if (status == 0) ++g_done;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || starpu_init(nullptr) != 0) return 1;
  const std::string what = argv[1];
  if (what == "fork") return ForkAndRunInBoth();
  if (what == "fork-and-wait") return ForkAndWait();
  RunTenTasks();
  const struct {
    const char* what;
    starpu_cpu_func_t function;
  } faults[] = {{"crash", Crash}, {"throw", Throw},          {"abort", Abort},
                {"exit", Exit},   {"end_thread", EndThread}, {"hang", Hang},
                {"kill", KillMe}, {"spawn", Spawn},          {"leave", Hang}};
  for (const auto& fault : faults) {
    if (what == fault.what) Insert(fault.function, fault.what);
  }
  if (what == "leave") return 0;  // with a task in flight, without starpu_shutdown()
  if (what == "never") {
    auto* codelet = new starpu_codelet();
    codelet->cpu_funcs[0] = Fine;
    auto* task = starpu_task_create();
    task->cl = codelet;
    starpu_tag_declare_deps(1, 1, starpu_tag_t{2});  // which nobody owns
    task->use_tag = 1;
    task->tag_id = 1;
    if (starpu_task_submit(task) != 0) return 1;
  }
  starpu_task_wait_for_all();
  starpu_shutdown();
  printf("%d done\n", g_done.load());
  return 0;
}
