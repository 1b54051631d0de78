// The key with which services of tests encrypt: on PostgreSQL none is kept next to a database file. (contract 0.1.7)

import { createDataCipher } from '../../../src/encryption/data-cipher.ts'

const key = Buffer.alloc(32, 7)
export const dataKey = key.toString('base64')
/** Encrypts as they do. */
export const dataCipher = createDataCipher([key])
