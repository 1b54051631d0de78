// The public exports of Duet. Adding one is a decision.

export type { RouteRecords } from './action/code/route-records.ts'
export type { AsService, ServiceRecords } from './action/code/service-records.ts'
export { type OidcOptions, oidc } from './authentication/issuer/oidc.ts'
export type { TrustedIssuer } from './authentication/issuer/outside-issuer.ts'
export { type Provision, provision } from './authentication/issuer/provision.ts'
export { ApiKey, SecurityEvent, Session, SignInMethod } from './authentication/resources.ts'
export { open } from './custom-route/open-body.ts'
export { type AnswerHeaders, type RouteReply, reply } from './custom-route/reply.ts'
export { type AuthorLimit, type AuthorRoute, type RawBody, route, type TypedRoute } from './custom-route/route.ts'
export { type Signature, type SignedMessage, standardWebhooks } from './custom-route/signature.ts'
export { DeprecatedUse } from './deprecation/resource.ts'
export { Failure, type FailureCode, type FailureOptions } from './failure/failure.ts'
export type { Handler } from './http/host/handler.ts'
export {
  createHandler,
  type HandlerOptions,
  type MainOptions,
  type MountedService,
  main,
  type StartedService,
  type StartOptions,
  start,
} from './main.ts'
export type { DocumentInfo } from './openapi/document-context.ts'
export { on, type Reaction, type ReactionMoment, type ReactionOptions } from './reaction/on.ts'
export { ServiceDefinitionError } from './resource/contradiction/contradiction.ts'
export { type Deprecating, deprecated } from './resource/deprecation.ts'
export { bigint } from './resource/field/bigint.ts'
export { boolean } from './resource/field/boolean.ts'
export { choice, state } from './resource/field/choice.ts'
export { counter } from './resource/field/counter.ts'
export { date } from './resource/field/date.ts'
export { decimal } from './resource/field/decimal.ts'
export { type Decimal, decimalOf } from './resource/field/exact.ts'
export { type Id, type JsonObject, optional } from './resource/field/field.ts'
export { float } from './resource/field/float.ts'
export { json, list, object, readOnly } from './resource/field/json.ts'
export { integer } from './resource/field/number.ts'
export { actor, either, many, manyToMany, one } from './resource/field/relation.ts'
export { argument, password, secret, token } from './resource/field/secret.ts'
export { country, currency, email, language, text, url } from './resource/field/text.ts'
export { timestamp } from './resource/field/timestamp.ts'
export { uuid } from './resource/field/uuid.ts'
export type { Records, ServiceEffectRecords } from './resource/language/action.ts'
export { collection, event } from './resource/language/action.ts'
export type { DueSpan, DueTime } from './resource/language/due.ts'
export { type AnyResource, atLeastOne, type Resource, type RowOf, resource } from './resource/language/resource.ts'
export type { Sql, SqlPart, SqlValue } from './resource/language/row/sql.ts'
export { after, arg, before, field, me, now, oneOf, startOf } from './resource/language/rule/comparison.ts'
export { atLeast, atMost, contains, is, isPresent } from './resource/language/rule/filter.ts'
export {
  type Accounts,
  above,
  absent,
  acrossTenants,
  allOf,
  anyOf,
  anyone,
  type CallerAccount,
  fresh,
  hasToken,
  may,
  member,
  nobody,
  not,
  own,
  present,
  readable,
  self,
  signedIn,
  some,
  through,
  when,
} from './resource/language/rule/rule.ts'
export { type Deprecated, type Service, service } from './resource/language/service.ts'
export { englishTexts, type SignInTexts } from './resource/language/sign-in-texts.ts'
export type { OnWrite, WriteMoment, WriteRequest } from './resource/language/write-hook.ts'
export { demoPassword } from './service/configuration/demo-password.ts'
export type { InProcess, InProcessOptions } from './service/start/in-process.ts'
export { type Migration, type MigrationRun, migration } from './service/start/migration.ts'
export type { Seed, Seeded } from './service/start/seed.ts'
export { every, type Rhythm, type Schedule, type ScheduleOptions, type Tick } from './time/every.ts'
export { Webhook, WebhookDelivery } from './webhook/resources.ts'
