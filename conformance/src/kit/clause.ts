// A test of a clause: what it needs of the profile, and what it does.

import type { Profile, ResourceProfile } from '../profile.ts'
import { type Kit, Subject } from './kit.ts'

/** What a resource must have for a test. */
export type ResourceNeed =
  | Exclude<keyof ResourceProfile, 'path' | 'type' | 'as' | 'create' | 'graphql'>
  | 'hidden'
  | 'firstMove'
  | 'laterMove'
  | 'openable'
  | 'opens'
/** What a service must have. */
export type ServiceNeed =
  | 'graphql'
  | 'events'
  | 'apiKeys'
  | 'sessions'
  | 'me'
  | 'production'
  | 'deprecated'
  | 'cookie'
  | 'streams'
  | 'webhooks'
  | 'signIn'
  | 'securityEvents'
  | 'deprecationUsage'
export type Need = ResourceNeed | ServiceNeed | 'resource'

export interface Scene {
  readonly kit: Kit
  /** The first resource of the profile that has what the test needs. */
  readonly subject: Subject
}

export interface ClauseTest {
  readonly clause: string
  readonly needs: readonly Need[]
  run(scene: Scene): Promise<unknown>
}

export type Define = (clause: string, needs: readonly Need[], run: ClauseTest['run']) => void

const serviceNeeds: Readonly<Record<ServiceNeed, (profile: Profile) => boolean>> = {
  graphql: ({ graphql }) => graphql === true,
  events: ({ events }) => events === true,
  apiKeys: ({ apiKeys }) => apiKeys !== undefined,
  sessions: ({ sessions }) => sessions !== undefined,
  me: ({ me }) => me !== undefined,
  production: ({ production }) => production === true,
  cookie: ({ cookie }) => cookie === true,
  streams: ({ streams }) => streams === true,
  webhooks: ({ webhooks }) => webhooks !== undefined,
  signIn: ({ accounts }) => Object.values(accounts).some(({ email }) => email !== undefined),
  securityEvents: ({ securityEvents }) => securityEvents !== undefined,
  deprecationUsage: ({ deprecationUsage }) => deprecationUsage !== undefined,
  deprecated: ({ versions }) => (versions.deprecated ?? []).length > 0,
}

const isServiceNeed = (need: Need): need is ServiceNeed => Object.hasOwn(serviceNeeds, need)

/** Returns the subject of a test, or why it is skipped. Records of a resource without `delete` stay, and are made only if they may. */
export function subjectOf({ needs }: ClauseTest, kit: Kit, mayLeave: boolean): Subject | string {
  if (kit.profile.rest === false && !needs.includes('graphql') && !needs.includes('events'))
    return 'the service has no REST'
  for (const need of needs.filter(isServiceNeed))
    if (!serviceNeeds[need](kit.profile)) return `the profile does not name ${need}`
  const wanted = needs.filter((need): need is ResourceNeed => need !== 'resource' && !isServiceNeed(need))
  for (const [name, resource] of Object.entries(kit.profile.resources))
    if (wanted.every((need) => hasPart(resource, need)))
      return mayLeave || resource.delete === true
        ? new Subject(kit, name, resource)
        : `records of ${name} cannot be deleted, which --leave allows`
  return `the profile names no resource with ${wanted.join(', ') || 'a path'}`
}

function hasPart(resource: ResourceProfile, need: ResourceNeed): boolean {
  if (need === 'hidden') return resource.readers === 'creator' && resource.other !== undefined
  const moves = Object.values(resource.moves ?? {})
  if (need === 'firstMove') return moves.some(({ first }) => first === true)
  if (need === 'laterMove') return moves.some(({ first }) => first !== true)
  if (need === 'opens') return moves.some(({ opens }) => opens === true)
  if (need === 'openable') return resource.readers === 'everyone' || moves.some(({ opens }) => opens === true)
  const part = resource[need]
  return part !== undefined && part !== false
}
