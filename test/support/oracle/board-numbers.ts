// The kept numbers of the board beside what there is, counted by a statement for each: an oracle that knows nothing of how they are kept.

import { compileModel } from '../../../src/resource/model/compile/compile-model.ts'
import { bind, type Engine, type Program, query, type StoredRow } from '../../../src/store/store.ts'
import { board } from '../domain/board.ts'

const model = compileModel(board)

/** Records one of whose kept numbers is not what there is: its table, its id and the field. Deleted ones too. */
export function* wrongNumbers(engine: Engine): Program<readonly StoredRow[]> {
  const of = (what: string, from: string, test: string) => `(select ${what} from ${from} r where ${test})`
  const inThread = 'r.thread_id = t.id and r.deleted_at is null'
  const hundred = engine === 'sqlite' ? 10_000 : 100
  const numbers = {
    Thread: {
      entriesCount: of('count(*)', 'entries', inThread),
      likesCount: of('count(*)', 'likes', inThread),
      publishedCount: of('count(*)', 'entries', `${inThread} and r.status = 'published'`),
      largeCount: of('count(*)', 'entries', `${inThread} and r.amount >= ${hundred}`),
      unkeptCount: of('count(*)', 'entries', `${inThread} and r.keeper_id is null`),
      followersCount: of('count(*)', 'users_follows', 'r.target_id = t.id'),
      total: of('coalesce(sum(r.amount), 0)', 'entries', inThread),
      pieces: of('coalesce(sum(r.pieces), 0)', 'entries', inThread),
      weight: of('coalesce(sum(r.weight), 0)', 'entries', inThread),
    },
    Keeper: {
      secretCount: of('count(*)', 'entries', `r.keeper_id = t.id and r.deleted_at is null and r.note = 'secret'`),
    },
    User: {
      fansCount: of('count(*)', 'users_fans', 'r.source_id = t.id'),
      idolsCount: of('count(*)', 'users_fans', 'r.target_id = t.id'),
      followsCount: of('count(*)', 'users_follows', 'r.source_id = t.id'),
    },
  }
  const wrong: StoredRow[] = []
  for (const [name, fields] of Object.entries(numbers)) {
    const { table, column } = model.byName.get(name)!
    for (const [field, sql] of Object.entries(fields)) {
      const kept = `t."${column.get(field)!.name}"`
      const differ = query(
        `select '${table}', t.id, '${field}', ${kept} as kept, ${sql} as counted from ${table} t where ${kept} <> ${sql}`,
      )
      wrong.push(...(yield bind(differ)))
    }
  }
  return wrong
}
