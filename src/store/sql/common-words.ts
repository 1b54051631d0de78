// Words that most records have, by PostgreSQL's statistics. To find where a rare word and a common one occur, its index would read much of
// the common one's long list: so it is asked for the rare one alone, and what that finds is looked at for the other. Without this file:
// the same answers, and such a search takes the server 1.4 times as long. (contract 12.2.10)

import type { ResourceModel, SearchDocument, SearchModel } from '../../resource/model/model.ts'
import { type Program, query, rowsOf } from '../store.ts'
import type { Dialect } from './dialect.ts'
import { searchIndex } from './search-index.ts'

/** A word that at least so many of the records have is common: what others find is about twice what answers at most. */
const commonShare = 0.5
const statistics = query(`
  select s.tablename, w.word
  from pg_stats s cross join unnest(s.most_common_elems::text::text[], s.most_common_elem_freqs) w(word, share)
  where s.schemaname = current_schema() and s.tablename = any($1::text[]) and s.attname = 'array_to_tsvector'
    and w.word is not null and w.share >= ${commonShare}`)

const common = new WeakMap<SearchModel, ReadonlySet<string>>()
const none: ReadonlySet<string> = new Set()

/** What was noted last for these records: the same set until something else is. */
export const commonWordsOf = (model: SearchModel): ReadonlySet<string> => common.get(model) ?? none

/** Any words change what a search costs, and none what it answers. */
export const noteCommonWords = (model: SearchModel, words: ReadonlySet<string>): void => void common.set(model, words)

/** Reads them for each resource that is searched: those that are common in each of its documents. */
export function* readCommonWords(resources: readonly ResourceModel[], dialect: Dialect): Program<void> {
  const models = resources.flatMap(({ search }) => (search === null || dialect.engine === 'sqlite' ? [] : [search]))
  if (models.length === 0) return
  const indexOf = ({ resource, words, parts }: SearchDocument): string =>
    searchIndex(
      resource,
      [...words, ...parts].map(({ column }) => column),
      dialect,
    ).name
  const indexes = new Set(models.flatMap(({ documents }) => documents.map(indexOf)))
  const rows = yield* rowsOf(statistics, dialect.keys([...indexes]))
  const byIndex = Map.groupBy(rows, ([index]) => index)
  for (const model of models) {
    const [first, ...others] = model.documents.map(
      (each) => new Set(byIndex.get(indexOf(each))?.map(([, word]) => word as string)),
    )
    noteCommonWords(
      model,
      others.reduce((words, other) => words.intersection(other), first!),
    )
  }
}
