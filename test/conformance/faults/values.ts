// Faults of errors and values.
// biome-ignore-all lint/suspicious/noAssignInExpressions: each row is one expression.

import type { Fault } from '../faulty-proxy.ts'
import { body, isGraphql, isRest, type Json, sentJson, status } from './change.ts'

export const values: readonly Fault[] = [
  {
    name: 'another code of 404',
    breaks: '7.1.1',
    answer: body((json) => void (json.error?.code === 'NOT_FOUND' && (json.error.code = 'MISSING'))),
  },
  {
    name: 'codes in small letters',
    breaks: '7.1.1',
    answer: body((json) => void (json.error && (json.error.code = json.error.code.toLowerCase()))),
  },
  { name: 'validation is 422', breaks: '7.1.1,7.2', answer: status(400, 422) },
  { name: 'conflicts are 422', breaks: '2.2.8,3.1.2,4.5.8', answer: status(409, 422) },
  {
    name: 'errors have a stack',
    breaks: '7.2',
    answer: body((json) => void (json.error && (json.error.stack = 'Error: x\n    at f (file:///app/x.js:1:1)'))),
  },
  {
    name: 'errors without details',
    breaks: '7.2',
    answer: body((json) => void (json.error && delete json.error.details)),
  },
  {
    name: 'errors are not in the envelope',
    breaks: '7.2',
    answer: body(
      (json, to) =>
        void (json.error && (to.body = Buffer.from('')) && Object.assign(json, json.error) && delete json.error),
    ),
  },
  {
    name: 'details are texts',
    breaks: '7.2',
    answer: body(
      (json) => void (json.error?.details && (json.error.details = json.error.details.map((each: Json) => each.field))),
    ),
  },
  {
    name: 'only the first problem is named',
    breaks: '7.2.4',
    answer: body((json) => void (json.error?.details && (json.error.details = json.error.details.slice(0, 1)))),
  },
  {
    name: 'messages do not name the field',
    breaks: '7.2.4',
    answer: body((json) => void (json.error && (json.error.message = 'Wrong.'))),
  },
  {
    name: 'failures are 200',
    breaks: '7.2.2,7.2.5',
    answer: (received, sent) => void (isRest(sent) && received.status === 400 && (received.status = 200)),
  },
  {
    name: 'texts are cut',
    breaks: '7.2.5',
    request: sentJson((json) => void (typeof json.title === 'string' && (json.title = json.title.slice(0, 200)))),
  },
  {
    name: 'numbers become texts',
    breaks: '7.2.5',
    request: sentJson((json) => void (typeof json.title === 'number' && (json.title = String(json.title)))),
  },
  {
    name: 'NUL is removed',
    breaks: '7.2.5',
    request: (sent) => void (sent.body = Buffer.from(sent.body.toString().replace('\\u0000', ''))),
  },
  {
    name: 'lone surrogates are replaced',
    breaks: '7.2.5',
    request: (sent) => void (sent.body = Buffer.from(sent.body.toString().replace('\\ud800', '?'))),
  },
  {
    name: 'duplicate keys are merged',
    breaks: '7.2.5',
    request: (sent) =>
      void (
        sent.body.toString() === '{"a":1,"a":2}' && (sent.body = Buffer.from('{"title":"x","content":"x","tags":[]}'))
      ),
  },
  {
    name: 'the faces have other messages',
    breaks: '7.2.8',
    answer: (received, sent) =>
      isGraphql(sent)
        ? body((json) => void (json.errors?.[0] && (json.errors[0].message = 'Bad input.')))(received, sent)
        : undefined,
  },
  {
    name: 'large numbers are rounded',
    breaks: '7.2.9',
    request: (sent) =>
      void (sent.body = Buffer.from(sent.body.toString().replace('9007199254740993', '9007199254740992'))),
  },
  {
    name: 'problem details are ignored',
    breaks: '7.2.10',
    request: ({ headers }) => void (/problem/.test(String(headers['accept'])) && delete headers['accept']),
  },
  {
    name: 'problem details for everyone',
    breaks: '7.2.10',
    request: ({ headers }) =>
      void (headers['accept'] !== undefined && (headers['accept'] = 'application/problem+json')),
  },
  { name: 'ids are numbers', breaks: '2.1.1', answer: body((json) => void (json.data?.id && (json.data.id = '42'))) },
  {
    name: 'no updated_at',
    breaks: '2.1.2,4.5.4,2.1.4',
    answer: body((json) => void (json.data?.id && delete json.data.updated_at)),
  },
  {
    name: 'names in camel case',
    breaks: '2.1.3',
    answer: body((json) => void (json.data?.created_at && (json.data.createdAt = json.data.created_at))),
  },
  {
    name: 'times without milliseconds',
    breaks: '2.1.4,2.1.3',
    answer: body(
      (json) => void (json.data?.created_at && (json.data.created_at = json.data.created_at.replace(/\.\d+/, ''))),
    ),
  },
  {
    name: 'times with an offset',
    breaks: '2.1.3,2.1.4',
    answer: body(
      (json) => void (json.data?.created_at && (json.data.created_at = json.data.created_at.replace('Z', '+00:00'))),
    ),
  },
  {
    name: 'clients write created_at',
    breaks: '2.1.5',
    request: sentJson((json) => {
      delete json.created_at
      delete json.updated_at
      delete json.id
    }),
  },
  {
    name: 'integers are cut',
    breaks: '2.2.7',
    request: sentJson(
      (json) => void (typeof json.price === 'number' && (json.price = Math.trunc(Math.min(json.price, 2 ** 31 - 1)))),
    ),
  },
  {
    name: 'integers of 31 bits',
    breaks: '2.2.7',
    answer: (received, { body: sent }) => void (/2147483647/.test(sent.toString()) && (received.status = 400)),
  },
  {
    name: 'unique values are changed',
    breaks: '2.2.8,5.7.1,11.2.6',
    request: sentJson((json) => void (json.email && (json.email = `${Math.random()}@x.example`))),
  },
]
