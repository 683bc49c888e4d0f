/* An adapter in C that changes files by many of the ways that the C library has, in the folder `out`. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* Refuse as the system says, where a step did not succeed. */
#define STEP(done)                                                                                  \
    if (!(done)) {                                                                                  \
        printf("{\"id\": %s, \"refused\": {\"kind\": \"io\", \"message\": \"%m\", \"names\": {}}}\n", id); \
        return 0;                                                                                   \
    }

static int write_all(const char *id)
{
    struct iovec part = {"v", 1};
    struct stat there;
    FILE *stream;
    int a, b, folder;
    STEP(!mkdir("new", 0777))                                             /* 1 */
    STEP((folder = open("new", O_RDONLY | O_DIRECTORY)) >= 0)
    STEP((a = openat(folder, "a", O_CREAT | O_RDWR, 0666)) >= 0)          /* 2 */
    STEP(write(a, "abc", 3) == 3)                                         /* 3 */
    STEP(pwrite(a, "x", 1, 1) == 1)                                       /* 4 */
    STEP(writev(a, &part, 1) == 1)                                        /* 5 */
    STEP(!ftruncate(a, 2))                                                /* 6 */
    STEP((b = creat("new/b", 0666)) >= 0)                                 /* 7 */
    STEP(!lseek(a, 0, SEEK_SET))
    STEP(sendfile(b, a, NULL, 1) == 1)                                    /* 8 */
    STEP(stream = fopen("new/c", "w"))                                    /* 9 */
    STEP(fprintf(stream, "%d and ", 1) == 6 && fputs("more", stream) >= 0)
    STEP(!fstat(fileno(stream), &there) && !fflush(stream))               /* 10: one write of both */
    STEP(putc('!', stream) == '!' && !fclose(stream))                     /* 11 */
    STEP(!rename("new/c", "new/d"))                                       /* 12 */
    STEP(!link("new/d", "new/e"))                                         /* 13 */
    STEP(!symlink("d", "new/f"))                                          /* 14 */
    STEP(!unlinkat(folder, "f", 0))                                       /* 15 */
    STEP(!remove("new/e"))                                                /* 16 */
    STEP(!truncate("new/d", 1))                                           /* 17 */
    return !close(a) && !close(b) && !close(folder);
}

int main(void)
{
    char line[1 << 16];
    while (fgets(line, sizeof line, stdin)) {
        char *id = strstr(line, "\"id\":") + 5, *out = strstr(line, "\"out\":");
        id[strspn(id, " 0123456789")] = 0;
        if (!out) {
            printf("{\"id\": %s, \"answer\": {\"name\": \"writer\", \"version\": \"1\", \"language\": \"C\","
                   " \"protocol\": 1, \"verbs\": [\"container.rewrite\"]}}\n", id);
        } else {
            FILE *elsewhere = tmpfile();
            fputs("no change of what is watched", elsewhere);
            fclose(elsewhere);
            out = strchr(out + 6, '"') + 1;
            *strchr(out, '"') = 0;
            if (chdir(out)) return 1;
            if (write_all(id))
                printf("{\"id\": %s, \"answer\": {\"path\": \"%s\", \"carried_files\": [],"
                       " \"dropped_files\": []}}\n", id, out);
        }
        fflush(stdout);
    }
    return 0;
}
