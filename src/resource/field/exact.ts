// Exact numbers that print with their decimals: "12.50" is money, and stays so in mails and sums.

import { BigNumber } from 'bignumber.js'

/** An exact number in callbacks: a BigNumber of the package bignumber.js. `plus`, `minus` and `times` are exact. */
export type Decimal = BigNumber

export const lengthMax = 40
export const form = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/

/** At the place of a scale, the constructor of numbers that print at least so many decimals. */
const constructors: (typeof BigNumber)[] = []
const scales = new WeakMap<object, number>()
const scaleOf = (value: unknown): number => (BigNumber.isBigNumber(value) ? (scales.get(value.constructor) ?? 0) : 0)

/** Their configuration cannot change, and their texts have no exponent. */
export function exactOf(scale: number): typeof BigNumber {
  const existing = constructors[scale]
  if (existing !== undefined) return existing
  const made = BigNumber.clone({ EXPONENTIAL_AT: 1_000_000_000 })
  const prototype = made.prototype as Decimal
  const { toString: printed, plus, minus } = prototype
  const print = function (this: Decimal): string {
    const decimals = this.decimalPlaces()
    return decimals === null || decimals >= scale ? printed.call(this) : this.toFixed(scale)
  }
  const widening = (add: typeof plus) =>
    function (this: Decimal, ...values: readonly [BigNumber.Value, number?]): Decimal {
      const sum: Decimal = Reflect.apply(add, this, values)
      const other = scaleOf(values[0])
      return other > scale ? new (exactOf(other))(sum) : sum
    }
  Object.assign(prototype, {
    toString(this: Decimal, base?: number) {
      return base === undefined ? print.call(this) : printed.call(this, base)
    },
    toJSON: print,
    valueOf: print,
    plus: widening(plus),
    minus: widening(minus),
  })
  scales.set(made, scale)
  constructors[scale] = made
  return made
}

/**
 * An exact number of this text, such as `decimalOf('0')`, to begin a sum with. It prints with the decimals of the text; sums and
 * differences print with those of their longest part. Throws if the text is no number.
 */
export function decimalOf(text: string): Decimal {
  if (typeof text !== 'string' || text.length > lengthMax || !form.test(text))
    throw new Error(`decimalOf(${JSON.stringify(text)}) is no number: write a text such as decimalOf('12.50').`)
  return new (exactOf(text.includes('.') ? text.length - text.indexOf('.') - 1 : 0))(text)
}
