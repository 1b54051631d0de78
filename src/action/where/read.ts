// Reads the condition of a list, as a tree or as text. (contract 12.1)

import type { Detail } from '../../failure/failure.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
import type { Vocabulary } from '../../resource/model/vocabulary.ts'
import type { Dialect } from '../../store/sql/dialect.ts'
import type { WhereLimits } from './meter.ts'
import { questionOf, type WhereQuestion } from './question.ts'
import { readWhereText } from './read-text.ts'
import { readWhereTree } from './read-tree.ts'

export interface WhereContext {
  readonly limits: WhereLimits
  readonly dialect: Dialect
  /** Names what stands in trees, … */
  readonly vocabulary: Vocabulary
  /** … and in texts. */
  readonly textVocabulary: Vocabulary
}
/** What was sent, undefined where nothing was; and what a face calls it. */
export interface SentWhere {
  readonly is: 'tree' | 'text'
  readonly sent: unknown
  readonly parameter: string
}

/** Null where nothing is asked, or something is wrong with it, which `problems` tell. */
export function readWhere(
  { is, sent, parameter }: SentWhere,
  { name, where }: ResourceModel,
  { limits, dialect, vocabulary, textVocabulary }: WhereContext,
  problems: Detail[],
): WhereQuestion | null {
  if (sent === undefined) return null
  if (where === null) {
    problems.push({ field: parameter, message: `Lists of ${name} have no conditions.` })
    return null
  }
  const read =
    is === 'tree'
      ? readWhereTree(sent, where, { vocabulary, limits, parameter }, problems)
      : readText(sent, (text) =>
          readWhereText(text, where, { vocabulary: textVocabulary, limits, parameter }, problems),
        )
  if (read === null && problems.length === 0) problems.push({ field: parameter, message: 'Must be text.' })
  return read === null ? null : questionOf(read.tree, read.points, dialect)
}

const readText = <T>(sent: unknown, read: (text: string) => T): T | null =>
  typeof sent === 'string' ? read(sent) : null
