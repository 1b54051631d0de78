// Faults of GraphQL and of subscriptions.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: sources contain templates.

import { type Mutant, of } from './mutant.ts'

export const graphql: readonly Mutant[] = [
  ...of('reference', [
    [
      'operations are bounded later',
      'src/limits.ts',
      '  queryComplexity: 1000,',
      '  queryComplexity: 2000,',
      '8.2.3,8.2.1',
    ],
    ['bodies may be larger', 'src/limits.ts', '  restBodyBytes: 1_048_576,', '  restBodyBytes: 2_097_152,', '8.4.1'],
    ['headers may be larger', 'src/limits.ts', '  headerBytes: 16_384,', '  headerBytes: 32_768,', '8.4.2'],
    [
      'messages before the beginning end otherwise',
      'src/graphql/subscription/frame.ts',
      'tooEarly: [4401,',
      'tooEarly: [4400,',
      '6.2.1',
    ],
    [
      'a second beginning ends otherwise',
      'src/graphql/subscription/frame.ts',
      'secondInit: [4429,',
      'secondInit: [4400,',
      '6.2.1',
    ],
    [
      'an id twice ends otherwise',
      'src/graphql/subscription/frame.ts',
      'duplicateId: [4409,',
      'duplicateId: [4400,',
      '6.2.6',
    ],
    [
      'refused credentials end otherwise',
      'src/graphql/subscription/frame.ts',
      'forbidden: [4403,',
      'forbidden: [4401,',
      '6.2.3',
    ],
    [
      'an id may be used twice',
      'src/graphql/subscription/session.ts',
      "else if (this.#operations.has(frame.id)) this.close('duplicateId')",
      '',
      '6.2.6',
    ],
    [
      'credentials stand anywhere',
      'src/graphql/subscription/session.ts',
      "if (misplacesCredential(payload)) return this.close('misplaced')",
      '',
      '6.2.12',
    ],
    [
      'nothing is pinged',
      'src/graphql/subscription/session.ts',
      'if (at - this.#pingedAt >= socketPingMs) this.#ping(at)',
      '',
      '6.2.4',
    ],
    ['nodes are bounded later', 'src/limits.ts', '  queryNodes: 10_000,', '  queryNodes: 20_000,', '8.2.4'],
    [
      'strange event ids begin now',
      'src/event/subscription.ts',
      "if (position === null || (await outbox.isForgotten(position))) throw new Failure('EVENTS_GONE')",
      'if (position === null) return null as never',
      '6.3.4',
    ],
    [
      'missed events are not sent',
      'src/graphql/subscription/subscribe.ts',
      'resumeAfter === null ? null : await resumePosition(resumeAfter, context)',
      'null',
      '6.3.1,6.3.4',
    ],
  ]),
  ...of('gallery', [
    [
      'changes of other values are events',
      'src/action/target/move.ts',
      'if (!columns.some(hasChanged)) return null',
      '',
      '13.9.1',
    ],
    [
      'previous values are those of now',
      'src/action/target/move.ts',
      '[writeValue(column.spec, before[column.field]), hasChanged(column)]',
      '[writeValue(column.spec, after[column.field]), hasChanged(column)]',
      '13.9.2',
    ],
    [
      'works are for all',
      'test/conformance/gallery/service.ts',
      "    read: { allow: own('owner') },\n    create: {\n      allow: signedIn,\n      accept: [\n        'title',",
      "    read: { allow: signedIn },\n    create: {\n      allow: signedIn,\n      accept: [\n        'title',",
      '6.1.2,12.1.4',
    ],
    [
      'events of deletes are missing',
      'test/conformance/gallery/service.ts',
      "delete: { allow: own('owner'), emit: event('workDeleted') },",
      "delete: { allow: own('owner'), emit: event('workRemoved') },",
      '13.8.1,13.8.2',
    ],
    [
      'texts are longer by one',
      'src/resource/field/text.ts',
      'length > spec.max) return',
      'length > spec.max + 1) return',
      '8.1.1,7.2.5',
    ],
  ]),
  ...of('helpdesk', [
    [
      'tenants are not inherited',
      'examples/helpdesk/ticket.ts',
      "event('ticketAssigned', { changed: ['assignee'] })",
      "event('ticketAssigned', { changed: ['priority'] })",
      '13.9.2',
    ],
  ]),
]
