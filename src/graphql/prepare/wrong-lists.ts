// Problems with list arguments. Their root field fails with them after authorization, whose failure comes first. (contract 4.1.6,
// 4.8.14)

import type { FieldNode } from 'graphql'
import type { Runner } from '../../action/call.ts'
import type { BoundList } from '../../action/question/list-request.ts'
import { type Detail, Failure } from '../../failure/failure.ts'
import type { Requester } from '../../resource/actor.ts'
import type { Vocabulary } from '../../resource/model/vocabulary.ts'
import type { ListSite } from './tree.ts'

interface WrongList {
  readonly site: ListSite
  readonly list: BoundList
  readonly details: readonly Detail[]
}

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

  /** Possibly far below the root. */
  get nodes(): readonly FieldNode[] {
    return this.#lists.map(({ site }) => site.node)
  }

  /** Fails with the actor's missing access to any of them, without reading records. */
  authorize(runner: Runner): void {
    const lists = this.#lists.map(({ site, list }) => {
      return { resource: site.resource, filters: list.shape.filters.map(({ filter }) => filter) }
    })
    runner.authorizeLists(lists, this.#actor, this.#vocabulary)
  }

  refuse(runner: Runner): never {
    this.authorize(runner)
    throw new Failure('VALIDATION_ERROR', { details: this.details })
  }
}
