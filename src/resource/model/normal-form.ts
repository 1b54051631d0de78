// The only place that normalizes Unicode. Ordering n adjacent combining marks takes n² time, so their number is limited. (UAX 15,
// Stream-Safe Text Format; contract 8.5.6)

/** Includes the half-width voiced sound marks, which decompose into a mark without having the property. */
const mark = '[\\p{M}\\uff9e\\uff9f]'
const tooManyMarks = new RegExp(`(${mark}{30})${mark}+`, 'gu')

/** Keeps at most 30 combining marks in a row. */
export const normalForm = (text: string, form: 'NFC' | 'NFD' | 'NFKC'): string =>
  text.replace(tooManyMarks, '$1').normalize(form)
