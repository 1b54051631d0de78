// Refuses webhooks that could never receive anything: events and versions that do not exist, and addresses that the guard of requests
// refuses whatever a name resolves to. (contract 15.2.1)

import type { Write } from '../action/call.ts'
import { type Detail, Failure } from '../failure/failure.ts'
import type { Outbound } from '../outbound/outbound.ts'
import { eventsOf, type Model, type ResourceModel } from '../resource/model/model.ts'

/** Expects a validated write. BUSINESS_RULE_VIOLATION with the fields. */
export function createRequireSound(
  model: Model,
  webhook: ResourceModel,
  { refusal }: Pick<Outbound, 'refusal'>,
): (call: Write) => void {
  const events = new Set(eventsOf(model).map(({ name }) => name))
  const versions = model.versions.map(({ name }) => name)
  return ({ action, targets, vocabulary }) => {
    if (action.resource !== webhook || (action.kind !== 'create' && action.kind !== 'update')) return
    const name = (field: string) => vocabulary.name(webhook, field)
    const details: Detail[] = []
    for (const [target, { input }] of targets.entries()) {
      const refuse = (field: string, message: string) => details.push({ field, message, target })
      const { [name('url')]: url, [name('events')]: names = [], [name('apiVersion')]: version } = input as Input
      const reason = typeof url === 'string' ? refusal(url) : null
      if (reason !== null) refuse(name('url'), reason)
      for (const [index, each] of (names as readonly string[]).entries())
        if (!events.has(each)) refuse(`${name('events')}[${index}]`, `There is no event ${each} here.`)
      if (typeof version === 'string' && !versions.includes(version))
        refuse(name('apiVersion'), `The versions are ${versions.join(', ')}.`)
    }
    if (details.length > 0) throw new Failure('BUSINESS_RULE_VIOLATION', { message: details[0]!.message, details })
  }
}
type Input = Readonly<Record<string, unknown>>
