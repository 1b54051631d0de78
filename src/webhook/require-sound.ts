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
    const details = targets.flatMap(({ input }, target): readonly Detail[] => {
      const { [name('url')]: url, [name('events')]: names = [], [name('apiVersion')]: version } = input as Input
      const reason = typeof url === 'string' ? refusal(url) : null
      return [
        ...(reason === null ? [] : [{ field: name('url'), message: reason, target }]),
        ...(names as readonly string[]).flatMap((each, index) =>
          events.has(each)
            ? []
            : [{ field: `${name('events')}[${index}]`, message: `There is no event ${each} here.`, target }],
        ),
        ...(typeof version === 'string' && !versions.includes(version)
          ? [{ field: name('apiVersion'), message: `The versions are ${versions.join(', ')}.`, target }]
          : []),
      ]
    })
    if (details.length > 0) throw new Failure('BUSINESS_RULE_VIOLATION', { message: details[0]!.message, details })
  }
}
type Input = Readonly<Record<string, unknown>>
