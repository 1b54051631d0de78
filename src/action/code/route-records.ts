// What code of a service may do as its caller.

import type { Id } from '../../resource/field/field.ts'
import type { MoveInput, MoveOf } from '../../resource/language/action.ts'
import type { AnyResource } from '../../resource/language/row/any-resource.ts'
import type { Reads, Seen } from '../../resource/language/row/reading.ts'
import type { Sent } from '../../resource/language/row/row.ts'

type ActionOf<R extends AnyResource, Name> = R['actions'][Name & keyof R['actions']]

/**
 * Each method is a call that the client could make, and fails as that would: with NOT_FOUND, FORBIDDEN, CONFLICT … Each write is a
 * transaction of its own.
 */
export interface RouteRecords extends Reads<'reader'> {
  create<R extends AnyResource>(resource: R, input: Sent<R['fields'], ActionOf<R, 'create'>>): Promise<Seen<R>>
  update<R extends AnyResource>(
    resource: R,
    id: Id<R['name']>,
    change: Partial<Sent<R['fields'], ActionOf<R, 'update'>>>,
  ): Promise<Seen<R>>
  delete<R extends AnyResource>(resource: R, id: Id<R['name']>): Promise<void>
  /** Runs a move, such as `publish`. */
  run<R extends AnyResource, const Move extends MoveOf<R>>(
    resource: R,
    id: Id<R['name']>,
    move: Move,
    ...input: MoveInput<R, Move>
  ): Promise<Seen<R>>
}
