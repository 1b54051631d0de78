// What random requests are made of: the records that there are, and what answers told.

import { getOrInsert } from '../../../src/cache/get-or-insert.ts'
import type { ResourceModel } from '../../../src/resource/model/model.ts'
import { splitLine } from '../client/http-client.ts'
import type { Random } from '../oracle/random.ts'
import type { Questions } from './questions.ts'
import type { Row } from './rows.ts'

export interface Request {
  readonly line: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** What requests are made of: what there was at first, and what the answers told since. */
export interface Material {
  readonly random: Random
  /** Ids of both databases, and of neither. */
  readonly ids: Map<string, string[]>
  /** Ids that one database names where the other names another, by resource: nobody is told of them. */
  readonly hidden: ReadonlyMap<string, readonly string[]>
  /** The records that refer to one, by its id and the relation: `lin_1 Line.invoice`. */
  readonly referring: ReadonlyMap<string, readonly string[]>
  /** Ids that answers told, by resource: what is named is then more often there. */
  readonly memory: Map<string, string[]>
  /** Pages that go on: a list's address and its cursor. */
  readonly pages: string[]
  readonly etags: string[]
  /** What was read, to be asked again as one who has it: with its ETag. */
  readonly reads: Request[]
  /** What was written with idempotency keys, to be written again. */
  readonly keyed: Request[]
  /** Access codes of records. */
  readonly codes: readonly string[]
  /** The records that these codes are of. */
  readonly coded: readonly Pick<Row, 'of' | 'id'>[]
  /** Names of resources that the scopes of a narrow key do not let it read; none for other callers. */
  readonly outOfScope: ReadonlySet<string>
  readonly questions: Questions
  /** Counts what must be unique. */
  fresh: number
}

/** The id of a record that is there, hidden or gone; now and then of one that never was. */
export const anyId = (material: Material, resource: ResourceModel): string => {
  const { ids, random } = material
  const memory = material.memory.get(resource.name) ?? []
  if (memory.length > 0 && random.chance(0.4)) return random.one(memory)
  const own = ids.get(resource.name) ?? []
  if (own.length === 0 || random.chance(0.03)) return `${resource.prefix}_0000000000000000000000000${random.below(9)}`
  return random.one(own)
}

/** Sometimes an access code: one that opens something, or one of nothing. */
export function codeHeader({ random, codes }: Material): Readonly<Record<string, string>> {
  if (codes.length === 0 || !random.chance(0.5)) return {}
  return { 'X-Access-Code': random.chance(0.9) ? random.one(codes) : 'none' }
}

/** Remembers what an answer told: new ids, pages to go on with, and versions. */
export function learn(
  material: Material,
  request: Request,
  answer: { readonly body: unknown; readonly etag: string | undefined },
): void {
  const path = splitLine(request.line)[1]
  if (answer.etag !== undefined) {
    remember(material.etags, answer.etag)
    if (request.line.startsWith('GET'))
      remember(material.reads, { ...request, headers: { ...request.headers, 'If-None-Match': answer.etag } })
  }
  const { data, meta } = (answer.body ?? {}) as { data?: unknown; meta?: { next_cursor?: unknown } }
  const id = (data as { id?: unknown } | undefined)?.id
  if (typeof id === 'string')
    for (const ids of material.ids.values())
      if (ids[0]?.split('_')[0] === id.split('_')[0] && !ids.includes(id)) ids.push(id)
  for (const [each] of JSON.stringify(answer.body ?? null).matchAll(/\b[a-z]+_[0-9A-Z]{26}\b/g)) {
    const [name] = [...material.ids].find(([, ids]) => ids[0]?.split('_')[0] === each.split('_')[0]) ?? []
    if (name === undefined) continue
    const memory = getOrInsert(material.memory, name, () => [])
    if (!memory.includes(each)) remember(memory, each)
  }
  if (typeof meta?.next_cursor === 'string') {
    const url = new URL(path, 'http://service.example')
    url.searchParams.delete('page')
    url.searchParams.set('cursor', meta.next_cursor)
    remember(material.pages, `${url.pathname}${url.search}`)
  }
}

/** The latest hundred. */
export function remember<T>(list: T[], one: T): void {
  list.push(one)
  if (list.length > 100) list.shift()
}
