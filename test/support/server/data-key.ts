// The key with which services of tests encrypt: on PostgreSQL none is kept next to a database file. (contract 0.1.7)

export const dataKey = Buffer.alloc(32, 7).toString('base64')
