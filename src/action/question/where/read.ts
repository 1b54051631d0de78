// Reads the condition of a list, as a tree or as text. (contract 12.1)

import type { Detail } from '../../../failure/failure.ts'
import type { ResourceModel } from '../../../resource/model/model.ts'
import { withBranches } from '../../../resource/model/rule/either-where.ts'
import type { Vocabulary } from '../../../resource/model/vocabulary.ts'
import type { Dialect } from '../../../store/sql/text/dialect.ts'
import type { WhereLimits } from './meter.ts'
import { questionOf, type WhereQuestion } from './question.ts'
import { readWhereText } from './read-text.ts'
import { type ReadWhere, readWhereTree } from './read-tree.ts'

export interface WhereContext {
  readonly limits: WhereLimits
  readonly dialect: Dialect
  readonly vocabulary: Vocabulary
  /** Default: `vocabulary`. */
  readonly treeVocabulary?: Vocabulary
  readonly textVocabulary?: Vocabulary
}
/** `sent` is undefined without a condition. */
export interface SentWhere {
  readonly is: 'tree' | 'text'
  readonly sent: unknown
  readonly parameter: string
}

/** Returns null without a valid condition. Adds to `problems`; to `mistakes`, if given, invalid names and form of a tree. */
export function readWhere(
  { is, sent, parameter }: SentWhere,
  { name, where }: ResourceModel,
  { limits, dialect, vocabulary, treeVocabulary = vocabulary, textVocabulary = vocabulary }: WhereContext,
  problems: Detail[],
  mistakes: Detail[] = problems,
): WhereQuestion | null {
  if (sent === undefined) return null
  if (where === null) {
    problems.push({ field: parameter, message: `Lists of ${name} have no conditions.` })
    return null
  }
  let read: ReadWhere | null = null
  if (is === 'tree')
    read = readWhereTree(sent, where, { vocabulary: treeVocabulary, limits, parameter }, problems, mistakes)
  else if (typeof sent === 'string')
    read = readWhereText(sent, where, { vocabulary: textVocabulary, limits, parameter }, problems)
  if (read === null && problems.length + mistakes.length === 0)
    problems.push({ field: parameter, message: 'Must be text.' })
  return read === null ? null : questionOf(withBranches(read.tree), read.points, dialect)
}
