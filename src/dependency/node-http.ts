// node:http without its WebSocket client, which an import would load: 3 MB and some 20 ms.

import type * as NodeHttp from 'node:http'

export const http: typeof NodeHttp = process.getBuiltinModule('node:http')
