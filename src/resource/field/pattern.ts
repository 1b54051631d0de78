// The pattern of a text: anchored, and checked for matching in linear time.

import { createRequire } from 'node:module'
import { getOrInsert } from '../../cache/get-or-insert.ts'
import { type Contradiction, shown } from './field.ts'

/** The source of a JavaScript regular expression with the flag `u`, or the expression. Must match the whole text. */
export type Pattern = string | RegExp

/** Also in JSON Schema, whose `pattern` is unanchored. Anchored sources are unchanged. */
export function wholePattern(pattern: Pattern): string {
  const source = sourceOf(pattern)
  return isAnchored(source) ? source : `^(?:${source})$`
}

const sourceOf = (pattern: Pattern): string => (typeof pattern === 'string' ? pattern : pattern.source)

/** A bar limits the scope of an anchor; a backslash before the last character escapes it. */
const isAnchored = (source: string): boolean => /^\^[^|]*(?<!\\)\$$/.test(source)

const expressions = new Map<string, RegExp>()

export function matches(pattern: Pattern, text: string): boolean {
  const source = wholePattern(pattern)
  return getOrInsert(expressions, source, () => new RegExp(source, 'u')).test(text)
}

/** Null if its matching time is proven linear. */
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

/** Alternative ways to match a prefix, each retried if the rest fails. */
const waysMax = 50
/** Patterns not proven within this many steps are refused; good ones take a few hundred. */
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
      `the running time of its pattern ${source} cannot be bounded`,
      'write it without names of groups, flags inside and references',
    ]
  }
  return [
    `its pattern ${source} may match one text in many ways, and take a time that grows much faster than the text`,
    'let no two parts that repeat, one within or after the other, match the same characters',
  ]
}
