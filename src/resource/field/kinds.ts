// The list of field kinds, used by both faces and the store.

import * as bigint from './bigint.ts'
import * as boolean from './boolean.ts'
import * as choice from './choice.ts'
import * as counter from './counter.ts'
import * as date from './date.ts'
import * as decimal from './decimal.ts'
import type { FieldKind } from './field.ts'
import * as float from './float.ts'
import * as json from './json.ts'
import * as number from './number.ts'
import { registerKinds } from './registry.ts'
import * as relation from './relation.ts'
import * as secret from './secret.ts'
import * as text from './text.ts'
import * as timestamp from './timestamp.ts'
import * as uuid from './uuid.ts'

registerKinds({
  text: text.kind,
  integer: number.kind,
  counter: counter.kind,
  boolean: boolean.kind,
  timestamp: timestamp.kind,
  date: date.kind,
  decimal: decimal.kind,
  bigint: bigint.kind,
  float: float.kind,
  uuid: uuid.kind,
  choice: choice.kind,
  state: choice.stateKind,
  json: json.jsonKind,
  list: json.listKind,
  object: json.objectKind,
  password: secret.passwordKind,
  secret: secret.secretKind,
  argument: secret.argumentKind,
  token: secret.tokenKind,
  one: relation.oneKind,
  many: relation.manyKind,
  manyToMany: relation.manyKind,
  either: relation.eitherKind,
} as Record<string, FieldKind>)
