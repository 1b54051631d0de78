// Faults that services have, as what a proxy does to requests and answers.

import type { Fault } from '../faulty-proxy.ts'
import { graphql } from './graphql.ts'
import { lists } from './lists.ts'
import { requests } from './requests.ts'
import { signIn } from './sign-in.ts'
import { values } from './values.ts'
import { writes } from './writes.ts'

export const faults: readonly Fault[] = [...requests, ...values, ...lists, ...writes, ...graphql, ...signIn]
