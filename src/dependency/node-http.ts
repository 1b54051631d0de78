// node:http without its WebSocket client, which an import would load: 3 MB and some 20 ms.

export const http: typeof import('node:http') = process.getBuiltinModule('node:http')
