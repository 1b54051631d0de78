// What is wrong with the arguments of lists: kept with their root field, which fails with it once its call is authorized, so
// that whoever may not ask is told that first. (contract 4.1.6, 4.8.14)

import type { FieldNode } from 'graphql'
import type { Runner } from '../../action/call.ts'
import type { BoundList } from '../../action/list-request.ts'
import { type Detail, Failure } from '../../failure/failure.ts'
import type { Requester } from '../../resource/actor.ts'
import type { Vocabulary } from '../../resource/model/vocabulary.ts'
import type { ListSite } from './tree.ts'

/** A list whose arguments are out of bounds or do not fit together. */
interface WrongList {
  readonly site: ListSite
  readonly list: BoundList
  readonly details: readonly Detail[]
}

/** The wrong lists of one root field of one request. */
export class WrongLists {
  readonly #lists: WrongList[] = []
  readonly #actor: Requester
  readonly #vocabulary: Pick<Vocabulary, 'filter'>

  constructor(actor: Requester, vocabulary: Pick<Vocabulary, 'filter'>) {
    this.#actor = actor
    this.#vocabulary = vocabulary
  }

  add(list: WrongList): void {
    this.#lists.push(list)
  }

  get details(): readonly Detail[] {
    return this.#lists.flatMap(({ details }) => details)
  }

  /** Where they stand, which may be far below their root. */
  get nodes(): readonly FieldNode[] {
    return this.#lists.map(({ site }) => site.node)
  }

  /** Fails with what the actor lacks for one of them, whatever its records are. */
  authorize(runner: Runner): void {
    const lists = this.#lists.map(({ site, list }) => {
      return { resource: site.resource, filters: list.shape.filters.map(({ filter }) => filter) }
    })
    runner.authorizeLists(lists, this.#actor, this.#vocabulary)
  }

  /** Fails like `authorize`, else with VALIDATION_ERROR. */
  refuse(runner: Runner): never {
    this.authorize(runner)
    throw new Failure('VALIDATION_ERROR', { details: this.details })
  }
}
