// How much a benchmark does: as README.md measures, or with `BENCH_SECONDS=0.1` so little that a test can run all of them.

const { BENCH_SECONDS } = process.env

/** Each measurement takes so many seconds, or `BENCH_SECONDS`. */
export const secondsOf = (usual: number): number => (BENCH_SECONDS === undefined ? usual : Number(BENCH_SECONDS))

/** So many records, clients or repetitions; `few` with `BENCH_SECONDS`. */
export const sized = <T>(usual: T, few: T): T => (BENCH_SECONDS === undefined ? usual : few)
