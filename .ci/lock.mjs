// Runs after every npm install that changed something. better-sqlite3 ships its binaries and says `"gypfile": false`,
// which npm leaves out of the lock file; `npm ci` would then start node-gyp and fail where there is no Python.

import { readFileSync, writeFileSync } from 'node:fs'

const before = readFileSync('package-lock.json', 'utf8')
const lock = JSON.parse(before)
lock.packages['node_modules/better-sqlite3'].gypfile = false
const after = `${JSON.stringify(lock, null, 2)}\n`
if (after !== before) writeFileSync('package-lock.json', after)
