/* What the libraries have in common that are preloaded (LD_PRELOAD) into a program. */
#ifndef PRELOADED_H
#define PRELOADED_H
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

/* The next definition of a function: the C library's own. */
#define NEXT(name) ((__typeof__(&name))next(#name))

static void *next(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) abort();
    return found;
}

static uint64_t number_in(const char *name)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : 0;
}

/* The memory that the file at this path is shared as; NULL where it cannot be. */
static void *shared_memory(const char *path, size_t size)
{
    int descriptor = NEXT(open)(path, O_RDWR | O_CLOEXEC);
    if (descriptor < 0) return NULL;
    void *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    return shared == MAP_FAILED ? NULL : shared;
}

/* The path of an open file, as the kernel knows it; 0 if it has none. */
static int path_of(int descriptor, char *path)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return 1;
}

/* The mode of a call of open() is there exactly where a file may be made. */
#define MODE_AFTER(flags)                                                    \
    mode_t mode = 0;                                                         \
    if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE) {               \
        va_list more;                                                        \
        va_start(more, flags);                                               \
        mode = va_arg(more, mode_t);                                         \
        va_end(more);                                                        \
    }

/* What programs call instead that were built with checks of buffers; they mean what the library defines. */
int __open_2(const char *path, int flags) { return open(path, flags); }
int __open64_2(const char *path, int flags) { return open64(path, flags); }
int __openat_2(int at, const char *path, int flags) { return openat(at, path, flags); }
int __openat64_2(int at, const char *path, int flags) { return openat64(at, path, flags); }

/* Streams are given a descriptor of their own behind fopencookie(), since the C library's own streams call the
 * kernel past every name that could be preloaded. */
static int stream_seek(void *stream, off64_t *at, int whence)
{
    off64_t found = lseek64((int)(intptr_t)stream, *at, whence);
    if (found < 0) return -1;
    *at = found;
    return 0;
}

static int stream_close(void *stream)
{
    return close((int)(intptr_t)stream);
}

static FILE *stream_of(int descriptor, const char *mode, cookie_read_function_t *read_, cookie_write_function_t *write_)
{
    cookie_io_functions_t calls = {read_, write_, stream_seek, stream_close};
    FILE *stream = fopencookie((void *)(intptr_t)descriptor, mode, calls);
    if (stream) stream->_fileno = descriptor;  /* so that fileno() answers as for any stream */
    return stream;
}

#endif
