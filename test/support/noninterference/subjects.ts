// The services that are compared.

import { api as reference } from '../../../reference/service.ts'
import { definitionOf } from '../../../src/resource/language/definition.ts'
import type { Service } from '../../../src/resource/language/service.ts'
import { social } from '../domain/example.ts'
import { helpdesk } from '../domain/helpdesk.ts'
import { marks } from '../domain/marks.ts'
import { askAll } from './ask-all.ts'
import { makeService } from './make-service.ts'

export interface Subject {
  readonly name: string
  readonly definition: (seed: number) => Service<unknown>
}
export const subjects: readonly Subject[] = [
  { name: 'generated', definition: makeService },
  { name: 'reference', definition: () => reference },
  { name: 'social', definition: () => askAll(social) },
  { name: 'helpdesk', definition: () => askAll(withLinks(withoutCounters(helpdesk), 'Task', 'watchers')) },
  { name: 'marks', definition: () => marks },
]

/** The same service, of which `update` accepts this list, so that REST answers its ids. */
function withLinks(service: Service<unknown>, name: string, list: string): Service<unknown> {
  const { resources } = definitionOf(service)
  const { actions } = resources[name]!
  const { update } = actions
  const accepting = { ...update, accept: [...(update!.accept ?? []), list] }
  const resource = { ...resources[name], actions: { ...actions, update: accepting } }
  return { ...service, resources: { ...resources, [name]: resource } }
}

/** A counter tells how many there are, and is there to tell. (contract 11.3.9) */
function withoutCounters(service: Service<unknown>): Service<unknown> {
  const { resources } = definitionOf(service)
  const entries = Object.entries(resources).map(([name, resource]) => {
    const kept = Object.entries(resource.fields).filter(([, { kind }]) => kind !== 'counter')
    // What the library keeps has to be the very same.
    const isWhole = kept.length === Object.keys(resource.fields).length
    return [name, isWhole ? resource : { ...resource, fields: Object.fromEntries(kept) }]
  })
  return { ...service, resources: Object.fromEntries(entries) }
}
