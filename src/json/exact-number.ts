// Detects JSON numbers that lose digits as doubles. (contract 7.2.9)

/** Always exact. */
const isShort = /^-?[\d.]{1,15}$/
export const losesDigits = 'This number has more digits than 64 bits hold; send it as text.'

/** True for `9007199254740993`, `0.1234567890123456789`, `1e-400` and `1e400`; expects a JSON number. */
export function isRounded(text: string): boolean {
  if (isShort.test(text)) return false
  const number = Number(text)
  return !Number.isFinite(number) || decimalOf(text) !== decimalOf(String(number))
}

const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** A normal form: digits without surrounding zeros, and the exponent. */
function decimalOf(text: string): string {
  const [, sign, whole = '', fraction = '', exponent = '0'] = parts.exec(text)!
  const digits = whole + fraction
  let start = 0
  let end = digits.length
  while (digits[start] === '0') start++
  while (end > start && digits[end - 1] === '0') end--
  if (start === end) return '0'
  return `${sign}${digits.slice(start, end)}e${Number(exponent) - fraction.length + digits.length - end}`
}
