// `Webhook` and `WebhookDelivery`, resources of the library that a service can include: its events are sent to addresses of their
// owners. (contract 15.2)

import { choice, state } from '../resource/field/choice.ts'
import { optional } from '../resource/field/field.ts'
import { list } from '../resource/field/json.ts'
import { integer } from '../resource/field/number.ts'
import { actor, one, toAccount } from '../resource/field/relation.ts'
import { secret, token } from '../resource/field/secret.ts'
import { text, url } from '../resource/field/text.ts'
import { timestamp } from '../resource/field/timestamp.ts'
import { resource } from '../resource/language/resource.ts'
import { now } from '../resource/language/rule/comparison.ts'
import { is } from '../resource/language/rule/filter.ts'
import { own, readable, signedIn, through } from '../resource/language/rule/rule.ts'

/** Why a webhook is paused. */
export const pauseReasons = ['gone', 'failing', 'version'] as const
export type PauseReason = (typeof pauseReasons)[number]
/** Webhooks of one owner. (contract 15.2.3) */
export const webhooksPerOwner = 20

/**
 * An address to which the service sends events that the owner may read, signed as Standard Webhooks describes. The secret is shown
 * once. (contract 15.2)
 */
export const Webhook = resource('Webhook', {
  prefix: 'whk',
  batch: false,

  fields: {
    user: toAccount({ default: actor }),
    url: url({ about: 'Where events are sent: an address that begins with https:.' }),
    events: list(text({ max: 100 }), { min: 1, max: 100, about: 'The names of the events that are sent.' }),
    apiVersion: text({
      max: 20,
      default: 'v1',
      about: 'The version of REST whose names and values the payload has. By default the current one.',
    }),
    secret: { ...token({ prefix: 'whsec_', about: 'What signs the messages.' }), ...only({ renewedBy: ['rotate'] }) },
    signingKey: secret(),
    formerKey: optional(secret()),
    rotatedAt: optional(
      timestamp({ about: 'When the secret was last replaced; the one before is valid for 24 hours.' }),
    ),
    status: state('active', 'paused'),
    pausedReason: optional(
      choice(pauseReasons, {
        about: 'Why it is paused: it answered 410, it has failed for three days, or its version is no longer served.',
      }),
    ),
  },

  filter: { user: is, status: is },

  actions: {
    read: { allow: own('user') },
    create: {
      allow: signedIn,
      accept: ['url', 'events', 'apiVersion'],
      check: async (moment) => {
        const { owner } = moment as { readonly owner?: object }
        const filter = owner ?? { user: moment.actor.id }
        return (await moment.records.all.here.count({ filter })) < webhooksPerOwner || tooManyWebhooks
      },
      set: { signingKey: ({ tokens }) => tokens.secret },
    },
    update: { allow: own('user'), accept: ['url', 'events', 'apiVersion'] },
    delete: { allow: own('user') },
    rotate: {
      allow: own('user'),
      about: 'Makes a new secret, shown once; the one before is valid for 24 hours',
      set: {
        formerKey: ({ record }) => record.signingKey,
        signingKey: ({ tokens }) => (tokens as unknown as { readonly secret: string }).secret,
        rotatedAt: now,
      },
    },
    resume: {
      allow: own('user'),
      about: 'Sends events again after a pause, and first what has waited since',
      from: 'paused',
      to: 'active',
      set: { pausedReason: null },
    },
    pause: { allow: own('user'), about: 'Sends nothing more until it is resumed', from: 'active', to: 'paused' },
    ping: {
      allow: own('user'),
      about: 'Sends the event `ping`, to test the receiver',
      from: 'active',
      // The queue does it, in this transaction.
      effect: async () => undefined,
    },
  },
})

/** One event for one webhook, kept for 30 days. It shows no part of the record. (contract 15.2.10) */
export const WebhookDelivery = resource('WebhookDelivery', {
  prefix: 'whd',
  batch: false,

  fields: {
    // A webhook may have more deliveries than one delete can take.
    webhook: { ...one('Webhook', { onDelete: 'restrict' }), ...only({ stays: true }) },
    event: text({ max: 100, about: 'The name of the event.' }),
    status: choice(['waiting', 'delivered', 'failed', 'skipped']),
    attempts: integer({ min: 0, about: 'Attempts so far.' }),
    nextAttemptAt: optional(timestamp({ about: 'When it is attempted next, at the earliest.' })),
    deliveredAt: optional(timestamp()),
    responseStatus: optional(integer({ min: 0, about: 'The status of the last response.' })),
    responseText: optional(
      text({ min: 0, max: 1_024, about: 'The beginning of the last response, or why there was none.' }),
    ),
  },

  filter: { webhook: is, status: is, event: is },

  actions: {
    read: { allow: readable('webhook') },
    replay: {
      allow: through('webhook', own('user')),
      about: 'Sends it again under the same id, with what the owner may read by then',
      set: { status: 'waiting', nextAttemptAt: now },
    },
  },
})

export const tooManyWebhooks = `An owner has at most ${webhooksPerOwner} webhooks: delete one first.`

function only(options: object): object {
  return options
}
