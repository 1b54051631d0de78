// Passes tokens of a new record to the reactions whose event names them: encrypted per reaction until it has ended or is given up.
// Nothing else receives them. (contract 10.1.19)

import type { EmittedEvent } from '../action/context.ts'
import type { DataCipher } from '../encryption/data-cipher.ts'
import { insertOf } from '../store/sql/text/batching.ts'
import type { Dialect } from '../store/sql/text/dialect.ts'
import { bind, command, type Program, query } from '../store/store.ts'
import type { ReactionDefinition } from './definition.ts'

export type HandedTokens = Readonly<Record<string, string | null>>
export type TokenHandover = ReturnType<typeof createTokenHandover>

export function createTokenHandover(definitions: Iterable<ReactionDefinition>, dialect: Dialect, cipher: DataCipher) {
  const p = dialect.parameter
  const where = `where reaction = ${p(1)} and record_id = ${p(2)}`
  const sql = {
    keep: insertOf(
      'insert into duet_reaction_token (reaction, record_id, tokens, at)',
      ['text', 'text', 'text', 'timestamptz'],
      dialect,
    ),
    handed: query(`select tokens from duet_reaction_token ${where}`),
    erase: command(`delete from duet_reaction_token ${where}`),
    forget: command(
      'delete from duet_reaction_token where (reaction, record_id) in ' +
        `(select reaction, record_id from duet_reaction_token where at < ${p(1)} limit ${p(2)})`,
    ),
  }
  const listeners = Map.groupBy(definitions, ({ event }) => event)
  const about = (reaction: string, recordId: string) => `duet_reaction_token ${reaction} ${recordId}`
  return {
    /** To be called in the transaction of the write. */
    *keep(events: readonly EmittedEvent[], now: Date): Program<void> {
      for (const { name, id, tokens } of events) {
        if (tokens === null) continue
        for (const { name: reaction } of listeners.get(name) ?? []) {
          const encrypted = cipher.encrypt(JSON.stringify(tokens), about(reaction, id))
          yield bind(sql.keep, reaction, id, encrypted, dialect.encode(now, 'timestamp'))
        }
      }
    },
    /** Each is null once erased. */
    *handed({ name, tokens }: ReactionDefinition, recordId: string): Program<HandedTokens> {
      const [row] = yield bind(sql.handed, name, recordId)
      if (row === undefined) return Object.fromEntries(tokens.map((each) => [each, null]))
      return JSON.parse(cipher.decrypt(row[0] as string, about(name, recordId)))
    },
    *erase(reaction: string, recordId: string): Program<void> {
      yield bind(sql.erase, reaction, recordId)
    },
    /** Deletes old tokens, up to `count` rows. */
    *forget(before: Date, count: number): Program<void> {
      yield bind(sql.forget, dialect.encode(before, 'timestamp'), count)
    },
  }
}
