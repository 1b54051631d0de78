// Every environment variable with its values, default and meaning, for configuration.ts and the reference. (contract 0.1)

import { defaultLimits, type Limits } from '../../limits.ts'
import { demoPassword } from './demo-password.ts'

/** Null: unset, which `meaning` explains. */
type Default<T> = T | null | { readonly development: T; readonly production: T }

export interface ChoiceVariable {
  readonly oneOf: readonly string[]
  readonly default: Default<string>
  readonly meaning: string
}
export interface NumberVariable {
  readonly from: number
  readonly to: number
  readonly default: Default<number>
  readonly meaning: string
  readonly limit?: keyof Limits
}
export interface TextVariable {
  readonly form: string
  readonly default: Default<string>
  readonly meaning: string
}
export type Variable = ChoiceVariable | NumberVariable | TextVariable

const limit = <const L extends keyof Limits>(name: L, from: 0 | 1 | 2 | 3, meaning: string) =>
  ({ from, to: 1_000_000_000, default: defaultLimits[name] as number, meaning, limit: name }) as const

export const variables = {
  PORT: { from: 0, to: 65_535, default: 3000, meaning: 'Where to listen; 0 takes any free port.' },
  INSTANCES: {
    form: 'a whole number, or `auto`',
    default: '1',
    meaning: 'Processes that serve `PORT` together, on PostgreSQL; `auto`: one for each processor.',
  },
  HOST: {
    form: 'an address of this machine',
    default: { development: '127.0.0.1', production: '0.0.0.0' },
    meaning: 'Where to listen.',
  },
  NODE_ENV: {
    oneOf: ['development', 'production', 'test'],
    default: 'development',
    meaning:
      '`production` turns introspection, suggestions, explorer and demo data off and logs one JSON line per event.',
  },
  DATABASE_URL: {
    form: '`sqlite:PATH`, `sqlite::memory:` or `postgres://…`',
    default: 'sqlite:./data/duet.db',
    meaning: 'Where the records are.',
  },
  DATABASE_LISTEN_URL: {
    form: '`postgres://…`',
    default: null,
    meaning:
      'The server itself, if `DATABASE_URL` names a pooler that lends connections by transaction: there the service listens for events, and builds indexes. Without it events of other instances are polled.',
  },
  DATA_KEY: {
    form: '32 bytes in base64, or several between commas',
    default: null,
    meaning:
      'What the service keeps encrypted: the first key encrypts, all decrypt. Where something is encrypted it is required in production; development keeps a key next to the database file.',
  },
  // One connection reads and another writes.
  DATABASE_POOL_SIZE: limit('poolSize', 3, 'Connections of one process to PostgreSQL, besides one that listens.'),
  REDIS_URL: {
    form: '`redis://…` or `rediss://…`',
    default: null,
    meaning: 'When set, all instances count rate limits together, and share persisted queries.',
  },
  BASE_URL: {
    form: '`http://…` or `https://…`',
    default: null,
    meaning:
      'Issuer of tokens and base of links, with the path that the service is mounted below: `http://HOST:PORT` unless set. Required in production.',
  },
  JWT_AUDIENCE: { form: 'any text', default: null, meaning: 'Audience of tokens: `BASE_URL` unless set.' },
  JWT_ALGORITHM: { oneOf: ['ES256', 'RS256', 'HS256'], default: 'ES256', meaning: 'What tokens are signed with.' },
  JWT_SECRET: { form: '32 bytes or more', default: null, meaning: 'The secret of `HS256`.' },
  TRUST_PROXY: {
    form: 'CIDR ranges between commas',
    default: null,
    meaning: 'Whose `X-Forwarded-For` is believed; the right-most address outside them is the client’s.',
  },
  ALLOWED_ORIGINS: {
    form: 'origins between commas',
    default: null,
    meaning: 'Other origins that may call from a browser.',
  },
  REFRESH_TOKEN_IN: {
    oneOf: ['body', 'cookie'],
    default: 'body',
    meaning: 'Where clients get and send the refresh token.',
  },
  TRUSTED_DOCUMENTS: {
    form: 'a JSON file',
    default: null,
    meaning: 'The only GraphQL documents that are run; without it any are.',
  },
  DEMO_DATA: {
    oneOf: ['on', 'off'],
    default: { development: 'on', production: 'off' },
    meaning: 'Fill a new, empty database with demo data.',
  },
  DEMO_PASSWORD: {
    form: '8 characters or more',
    default: demoPassword,
    meaning:
      'The password of the demo accounts. In production `DEMO_DATA=on` needs one of your own: an admin is among them.',
  },
  LOG_LEVEL: {
    oneOf: ['info', 'warn', 'error', 'off'],
    default: null,
    meaning: 'The lowest level that is written: `info` unless set, and `warn` for a service that `start` runs.',
  },
  LOG_REQUESTS: {
    oneOf: ['on', 'off'],
    default: null,
    meaning:
      '`on`: a line for every request; `off`: only for those that failed here or were slow. `on` unless set, and `off` for a service that `start` runs.',
  },
  LOG_SLOW_MS: limit('slowRequestMs', 0, 'Requests that take longer are logged as slow.'),
  METRICS_PORT: {
    from: 0,
    to: 65_535,
    default: null,
    meaning: 'Where `GET /metrics` answers; without it nothing is measured. Never the port of the API.',
  },
  METRICS_HOST: {
    form: 'an address of this machine',
    default: '127.0.0.1',
    meaning: 'The address of that port; 0.0.0.0 admits collectors on other machines.',
  },
  DRAIN_SECONDS: {
    from: 0,
    to: 3_600,
    default: { development: 0, production: 5 },
    meaning: 'After SIGTERM, how long requests are served while `/health/ready` is 503, before the service stops.',
  },
  SMTP_URL: {
    form: '`smtp://…` or `smtps://…`',
    default: null,
    meaning: 'Where password reset mail goes. Without it, development prints the mail to the log.',
  },
  OUTBOUND: {
    form: '`any`, or CIDR ranges between commas',
    default: null,
    meaning:
      'Addresses that are not public and to which the service may send requests all the same, such as those of webhooks. Development allows this machine.',
  },
  PASSWORD_RESET_URL: {
    form: 'an address with `{token}` in it',
    default: null,
    meaning: 'The link in that mail; by default that of the page of the service, if it has pages.',
  },
  VERIFY_URL: {
    form: 'an address with `{token}` in it',
    default: null,
    meaning: 'The link in mails that confirm an address; by default that of the page of the service, if it has pages.',
  },
  MAGIC_LINK_URL: {
    form: 'an address with `{token}` in it',
    default: null,
    meaning: 'The link in mails that sign in.',
  },
  PASSKEY_DOMAIN: {
    form: 'a domain, such as `example.com`',
    default: null,
    meaning:
      'The domain that passkeys are made for: the host of `BASE_URL` unless set. Origins of `ALLOWED_ORIGINS` below it may use them. Another domain makes all passkeys useless.',
  },
  PASSKEY_APP_ORIGINS: {
    form: 'origins such as `android:apk-key-hash:…` between commas',
    default: null,
    meaning: 'Android apps that may use passkeys; apps on iOS have the origin of the domain.',
  },
  RETURN_URLS: {
    form: 'addresses between commas, without queries',
    default: null,
    meaning:
      'Where browsers may return to after signing in at an issuer or on a page, such as `https://app.example.com/signed-in`. Without it, addresses of the service itself.',
  },
  LIMIT_IP_PER_MINUTE: limit('ipPerMinute', 0, 'Requests per address; 0 turns a rate limit off.'),
  LIMIT_USER_PER_HOUR: limit('userPerHour', 0, 'Requests per user, over all tokens and keys.'),
  LIMIT_LOGIN_PER_MINUTE: limit('loginPerMinute', 0, 'Logins per address.'),
  LIMIT_FLOW_PER_MINUTE: limit(
    'flowPerMinute',
    0,
    'Sign-ins that an address begins at issuers, with passkeys or on pages.',
  ),
  LIMIT_FORGOT_PASSWORD_PER_MINUTE: limit('forgotPasswordPerMinute', 0, 'Requests to reset a password.'),
  LIMIT_QUERY_DEPTH: limit('queryDepth', 1, 'Nested selections of a GraphQL operation.'),
  LIMIT_QUERY_COMPLEXITY: limit('queryComplexity', 1, '1 per scalar and object, 10 per list.'),
  LIMIT_QUERY_NODES: limit('queryNodes', 1, 'Records that one operation may select.'),
  LIMIT_BODY_BYTES: limit('restBodyBytes', 1, 'Largest REST body.'),
  LIMIT_ANSWER_BYTES: limit('answerBytes', 1, 'Largest answer of either API, and of one event to one subscriber.'),
  LIMIT_PAGE_SIZE: limit('pageSize', 1, 'Largest page.'),
  LIMIT_OFFSET: limit('offset', 0, 'Furthest record that a page number reaches; cursors go on.'),
  LIMIT_QUERY_IDS: limit('queryIds', 1, 'Ids that a query of your own may find; more are not looked at.'),
  LIMIT_QUERY_TIMEOUT_MS: limit('queryTimeoutMs', 1, 'How long it may take to find them.'),
  LIMIT_REACTIONS_AT_ONCE: limit(
    'reactionsAtOnce',
    0,
    'Reactions to events that one instance runs at a time; with 0 it leaves them to others.',
  ),
} as const satisfies Readonly<Record<string, Variable>>

export type VariableName = keyof typeof variables
type Row<N extends VariableName> = (typeof variables)[N]
/** Null if it is unset and has no default. */
export type ValueOf<N extends VariableName> =
  | (Row<N> extends { readonly oneOf: readonly (infer T)[] }
      ? T
      : Row<N> extends { readonly from: number }
        ? number
        : string)
  | (Row<N>['default'] extends null ? null : never)

export function defaultOf(name: VariableName, production: boolean): string | number | null {
  const { default: usual }: Variable = variables[name]
  if (typeof usual !== 'object' || usual === null) return usual
  return production ? usual.production : usual.development
}
