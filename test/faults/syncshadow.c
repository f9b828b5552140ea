// A disk whose power can be cut: preloaded into a process, it copies each watched file aside whenever that file is synced,
// so that the copies hold what a disk is sure to hold, and nothing that only the operating system remembers.
//   SYNC_WATCH   folder of the files that count, an absolute path
//   SYNC_SHADOW  folder of the copies
//   SYNC_CONTROL folder through which a test speaks to it: each sync adds a line with the file's name to `log`;
//                while `hold-<suffix>` is there, no sync of a file
//                whose name ends in that suffix begins, and `held-<suffix>` says that one waits; `fail-<suffix>` is taken away by the first
//                sync of a file whose name ends in that suffix, and that sync fails with EIO; `kill-<suffix>` likewise,
//                and there the process is killed before the sync
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LONG_PATH (PATH_MAX + 300)

static int watched(const char *path) {
  const char *folder = getenv("SYNC_WATCH");
  return folder && getenv("SYNC_SHADOW") && !strncmp(path, folder, strlen(folder));
}

// The path of an open regular file that counts; 0 for any other.
static int name_of(int fd, char *path) {
  char link[64];
  struct stat st;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(link, path, PATH_MAX - 1);
  if (n < 0) return 0;
  path[n] = 0;
  return watched(path) && !fstat(fd, &st) && S_ISREG(st.st_mode);
}

// One copy at a time, whichever threads sync.
static pthread_mutex_t copying = PTHREAD_MUTEX_INITIALIZER;

// Closing `in` drops the locks that this process holds on the file: for a database that nobody else opens.
static void keep(const char *path) {
  char tmp[LONG_PATH], fin[LONG_PATH], buf[65536];
  const char *base = strrchr(path, '/') + 1, *shadow = getenv("SYNC_SHADOW");
  snprintf(tmp, sizeof tmp, "%s/.%s.tmp", shadow, base);
  snprintf(fin, sizeof fin, "%s/%s", shadow, base);
  pthread_mutex_lock(&copying);
  int in = open(path, O_RDONLY), out = open(tmp, O_CREAT | O_TRUNC | O_WRONLY, 0600);
  ssize_t r = -1;
  if (in >= 0 && out >= 0)
    while ((r = read(in, buf, sizeof buf)) > 0)
      if (write(out, buf, r) != r) { r = -1; break; }
  if (in >= 0) close(in);
  if (out >= 0) close(out);
  if (r == 0) rename(tmp, fin);
  pthread_mutex_unlock(&copying);
}

static void note(const char *control, const char *base) {
  char path[LONG_PATH], line[LONG_PATH];
  snprintf(path, sizeof path, "%s/log", control);
  int fd = open(path, O_CREAT | O_APPEND | O_WRONLY, 0600);
  if (fd < 0) return;
  int n = snprintf(line, sizeof line, "%s\n", base);
  if (write(fd, line, n) != n) abort();
  close(fd);
}

static void hold(const char *control, const char *suffix) {
  char path[LONG_PATH], held[LONG_PATH];
  snprintf(path, sizeof path, "%s/hold-%s", control, suffix);
  snprintf(held, sizeof held, "%s/held-%s", control, suffix);
  if (access(path, F_OK)) return;
  close(open(held, O_CREAT | O_WRONLY, 0600));
  while (!access(path, F_OK)) usleep(5000);
  unlink(held);
}

// Whether this sync is to fail.
static int obey(const char *control, const char *base) {
  static const char *const suffixes[] = {".db", "-wal"};
  char path[LONG_PATH];
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
    size_t n = strlen(base), m = strlen(suffixes[i]);
    if (n < m || strcmp(base + n - m, suffixes[i])) continue;
    hold(control, suffixes[i] + 1);
    snprintf(path, sizeof path, "%s/fail-%s", control, suffixes[i] + 1);
    if (!unlink(path)) return 1;
    snprintf(path, sizeof path, "%s/kill-%s", control, suffixes[i] + 1);
    if (!unlink(path)) kill(getpid(), SIGKILL);
  }
  return 0;
}

static int synced(int fd, int (*real)(int)) {
  char path[PATH_MAX];
  const char *control = getenv("SYNC_CONTROL");
  int counts = name_of(fd, path);
  if (counts && control) {
    const char *base = strrchr(path, '/') + 1;
    note(control, base);
    if (obey(control, base)) {
      errno = EIO;
      return -1;
    }
  }
  int result = real(fd);
  if (!result && counts) keep(path);
  return result;
}

int fsync(int fd) {
  static int (*real)(int);
  if (!real) real = dlsym(RTLD_NEXT, "fsync");
  return synced(fd, real);
}

int fdatasync(int fd) {
  static int (*real)(int);
  if (!real) real = dlsym(RTLD_NEXT, "fdatasync");
  return synced(fd, real);
}

int unlink(const char *name) {
  static int (*real)(const char *);
  char path[PATH_MAX], copy[LONG_PATH];
  if (!real) real = dlsym(RTLD_NEXT, "unlink");
  int hit = realpath(name, path) && watched(path), result = real(name);
  if (!result && hit) {
    snprintf(copy, sizeof copy, "%s/%s", getenv("SYNC_SHADOW"), strrchr(path, '/') + 1);
    real(copy);
  }
  return result;
}
