/* The kernels as Python calls them: read by the compiler and by cffi, so plain declarations alone.
 *
 * No buffer of the caller needs an alignment, save floats, which have that of float. None is read or written
 * beyond what its shape needs. A variant is asked for by its number; that it is there was asked before.
 */

enum kernel { KERNEL_CRC32, KERNEL_DECODE, KERNEL_MULTIPLY, KERNEL_DEQUANTISED, KERNEL_HALF_TO_FLOAT };

/* The name of a variant, from 0; NULL behind the last. */
const char *isa_name(int isa);

/* Whether this build has the variant of a kernel, and this machine its instructions. */
int kernel_has(int kernel, int isa);

/* The checksum of bytes that follow those whose checksum is `value`. */
uint32_t crc32_of(int isa, uint32_t value, const uint8_t *data, size_t length);

/* The checksum of each of `count` buffers. */
void crc32_of_each(int isa, const uint8_t *const *data, const size_t *lengths, uint32_t *values, size_t count);

/* The checksum of each of `count` ranges of one buffer. */
void crc32_of_ranges(int isa, const uint8_t *data, const uint64_t *offsets, const uint64_t *lengths,
                     uint32_t *values, size_t count);

/* A matrix of indices: `positions` vectors in a row, `block` rows stored side by side (1: none). One that is
 * `planar` is packed in blocks of 64 rows, at each position the first bytes of all, the second, the third. */
struct matrix {
    const uint8_t *indices, *books, *scales;
    size_t rows, positions, block;
    unsigned stages, vec_dim, entries;
    int packed, planar;
};

/* Whether an index names no entry; `found` becomes row, position, stage and value of the first. */
int first_beyond(const struct matrix *matrix, size_t found[4]);

/* Rows from `begin` to `end`; `out` is the whole result, of [rows, positions x vec_dim] or [rows].
 * 0, or -1 where memory is short; of the last also 1, where the table of block `block` is not finite. */
int decode_rows(int isa, const struct matrix *matrix, size_t begin, size_t end, float *out);
int multiply_rows(int isa, const struct matrix *matrix, const float *x, size_t begin, size_t end, float *out);
int multiply_rows_int8(int isa, const struct matrix *matrix, const float *x, size_t begin, size_t end,
                       float *out, size_t *block);

/* The planar form of a packed matrix, whole blocks of 64 rows, of which those behind the last row are 0. Only
 * the product through codes takes it, from a row that begins a block. */
void planes_of(const struct matrix *matrix, uint8_t *planes);

/* Rows of `columns` codes of a trunk format (2, 3, 7), `group` of which share a scale. */
void dequantise(int isa, int format, const uint8_t *codes, const uint8_t *scales, size_t rows, size_t columns,
                size_t group, float *out);

/* `count` halves, little-endian. */
void half_to_float(int isa, const uint8_t *halves, size_t count, float *out);

/* Whether the system says what addresses and offsets of direct reads must be multiples of; 0 for a file that
 * has none. */
int direct_alignment(int descriptor, uint32_t *memory, uint32_t *offset);
