// The pattern of a text, as its author wrote it: what of a value it is asked of, and whether asking may take too long.

import { createRequire } from 'node:module'
import { getOrInsert } from '../../cache/get-or-insert.ts'
import { type Contradiction, shown } from './field.ts'

/** What a text must match as a whole: the source of a regular expression of JavaScript with the flag `u`, or such a one. */
export type Pattern = string | RegExp

/**
 * The source of an expression that only matches whole values, wherever it is used: in JSON Schema, whose `pattern` is
 * otherwise found anywhere in a text, as here. One that its author anchored stays as it is.
 */
export function wholePattern(pattern: Pattern): string {
  const source = sourceOf(pattern)
  return isAnchored(source) ? source : `^(?:${source})$`
}

const sourceOf = (pattern: Pattern): string => (typeof pattern === 'string' ? pattern : pattern.source)

/** A bar would end the reach of an anchor, and before the last sign a backslash would make it a plain one. */
const isAnchored = (source: string): boolean => /^\^[^|]*(?<!\\)\$$/.test(source)

const expressions = new Map<string, RegExp>()

/** Whether the whole text matches. */
export function matches(pattern: Pattern, text: string): boolean {
  const source = wholePattern(pattern)
  return getOrInsert(expressions, source, () => new RegExp(source, 'u')).test(text)
}

/** What is wrong with a pattern, and what to do; null where it takes time that grows as the text does, and no faster. */
export function patternContradiction(pattern: unknown): Contradiction | null {
  if (typeof pattern !== 'string' && !(pattern instanceof RegExp))
    return [`its pattern ${shown(pattern)} is no expression`, 'give it a text or a regular expression']
  if (pattern instanceof RegExp && pattern.flags.replace('u', '') !== '')
    return [`its pattern ${shown(pattern)} has flags that JSON Schema has no word for`, 'strike all flags but u']
  try {
    new RegExp(sourceOf(pattern), 'u')
  } catch (error) {
    return [`its pattern is none with the flag u: ${(error as Error).message}`, 'write it as JavaScript has it then']
  }
  return timeContradiction(wholePattern(pattern))
}

/** The part of redos-detector that we use. */
interface Detector {
  readonly isSafePattern: (
    source: string,
    options: {
      readonly unicode: true
      readonly downgradePattern: false
      readonly maxScore: number
      readonly maxSteps: number
    },
  ) => { readonly safe: boolean }
}

/** In how many ways the beginning of a text may be matched, each of which is tried again where its end does not match. */
const waysMax = 50
/** What is not proven after so many steps is refused: a good pattern takes some hundred. */
const stepsMax = 1_500

function timeContradiction(source: string): Contradiction | null {
  const require = createRequire(import.meta.url)
  let detector: Detector
  try {
    detector = require('redos-detector') as Detector
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error
    return ['it has a pattern, and the package redos-detector is missing', 'run npm install redos-detector']
  }
  const options = { unicode: true, downgradePattern: false, maxScore: waysMax, maxSteps: stepsMax } as const
  try {
    if (detector.isSafePattern(source, options).safe) return null
  } catch {
    return [
      `nobody can tell how long its pattern ${source} takes`,
      'write it without names of groups, flags inside and references',
    ]
  }
  return [
    `its pattern ${source} may match one text in many ways, and take a time that grows much faster than the text`,
    'let no two parts that repeat, one within or after the other, match the same characters',
  ]
}
