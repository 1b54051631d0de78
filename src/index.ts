// What users of Duet may import. A line added here is a decision.

export type { TrustedIssuer } from './authentication/outside-issuer.ts'
export { ApiKey, SecurityEvent, Session } from './authentication/resources.ts'
export { demoPassword } from './demo-password.ts'
export { Failure, type FailureCode, type FailureOptions } from './failure/failure.ts'
export { type MainOptions, main, type StartedService, type StartOptions, start } from './main.ts'
export { on, type Reaction, type ReactionMoment, type ReactionOptions } from './reaction/on.ts'
export { collection, event } from './resource/action.ts'
export { ServiceDefinitionError } from './resource/contradiction.ts'
export { type Deprecating, deprecated } from './resource/deprecation.ts'
export { boolean } from './resource/field/boolean.ts'
export { choice, state } from './resource/field/choice.ts'
export { type Id, type JsonObject, optional } from './resource/field/field.ts'
export { json, list, object, readOnly } from './resource/field/json.ts'
export { integer } from './resource/field/number.ts'
export { many, manyToMany, one } from './resource/field/relation.ts'
export { argument, password, token } from './resource/field/secret.ts'
export { currency, email, text, url } from './resource/field/text.ts'
export { timestamp } from './resource/field/timestamp.ts'
export { atLeast, atMost, contains, is, isPresent } from './resource/filter.ts'
export { type AnyResource, atLeastOne, type Resource, type RowOf, resource } from './resource/resource.ts'
export {
  type Accounts,
  absent,
  allOf,
  anyOf,
  anyone,
  type Caller,
  may,
  nobody,
  own,
  present,
  readable,
  self,
  signedIn,
  when,
} from './resource/rule.ts'
export { type Deprecated, type Service, service } from './resource/service.ts'
export type { RouteRecords } from './rest/author-route/records.ts'
export { type AuthorLimit, type AuthorRoute, route } from './rest/author-route/route.ts'
export type { DocumentInfo } from './rest/openapi/given.ts'
export type { Seed, Seeded } from './seed.ts'
export { DeprecatedUse } from './usage/resource.ts'
