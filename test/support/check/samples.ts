// How many random cases a test takes: a few if its file is named, twice as many in `npm run test:all`, or `SAMPLES` times as many.

const factor = Number(process.env['SAMPLES'] ?? 1)

export const samples = (few: number): number => few * factor
