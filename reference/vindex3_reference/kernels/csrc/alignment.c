/* What direct reads of a file must be aligned to. */
#include "kernels.h"

#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>

/* statx as the system answers it; what libraries call struct statx may be older than these two fields. */
enum { BYTES = 256, MASK = 0, MEMORY = 152, OFFSET = 156, DIO_ALIGN = 0x2000, EMPTY_PATH = 0x1000 };
#endif

int direct_alignment(int descriptor, uint32_t *memory, uint32_t *offset)
{
#if defined(__linux__) && defined(SYS_statx)
    uint8_t answer[BYTES] = {0};
    uint32_t mask;
    if (syscall(SYS_statx, descriptor, "", EMPTY_PATH, DIO_ALIGN, answer) != 0)
        return 0;
    memcpy(&mask, answer + MASK, sizeof mask);
    memcpy(memory, answer + MEMORY, sizeof *memory);
    memcpy(offset, answer + OFFSET, sizeof *offset);
    return (mask & DIO_ALIGN) != 0;
#else
    (void)descriptor, (void)memory, (void)offset;
    return 0;
#endif
}
