// node:http, without its WebSocket client, which an import would load: 16 MB, and a fifth of the time of a start.

export const http: typeof import('node:http') = process.getBuiltinModule('node:http')
