// The guard of requests to addresses that come from outside, against hostile names, servers and spellings. (contract 15.1)

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { defaultLimits } from '../../src/limits.ts'
import { createAddressRule, isPublicAddress } from '../../src/outbound/address-rule.ts'
import { createOutbound, type OutboundRequest } from '../../src/outbound/outbound.ts'
import { readConfiguration } from '../../src/service/configuration/configuration.ts'
import { makeCertificate } from '../support/server/certificate.ts'

const closing: (() => Promise<void>)[] = []
after(() => Promise.all(closing.map((close) => close())))

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return (server.address() as AddressInfo).port
}
const listenHttp = (answer: RequestListener) => listen(createServer(answer))
const listenRaw = (answer: (socket: Socket) => void) =>
  listen(createTcpServer((socket) => void socket.on('error', () => undefined).once('data', () => answer(socket))))

const rules = {
  production: createAddressRule({ outbound: null, production: true }),
  development: createAddressRule({ outbound: null, production: false }),
  loopback: createAddressRule({ outbound: '127.0.0.0/8', production: true }),
}
const request = (url: string, change: Partial<OutboundRequest> = {}): OutboundRequest => ({
  url,
  headers: { 'content-type': 'application/json' },
  body: '{}',
  timeoutMs: 5_000,
  bodyBytes: 1_024,
  ...change,
})
const guard = (
  rule: keyof typeof rules,
  names: Readonly<Record<string, readonly string[]>> = {},
  authorities?: readonly string[],
) =>
  createOutbound({ rule: rules[rule], resolve: async (name) => names[name] ?? [], authorities, limits: defaultLimits })

const notPublic = 'The address is not public.'
const noHttps = 'The address must begin with https:.'

const spellings: readonly (readonly [what: string, host: string])[] = [
  ['loopback', '127.0.0.1'],
  ['another loopback', '127.255.255.254'],
  ['loopback as one number', '2130706433'],
  ['loopback in hexadecimal', '0x7f000001'],
  ['loopback in octal', '017700000001'],
  ['loopback in mixed parts', '0x7f.0.0.1'],
  ['loopback in octal parts', '0177.0.0.01'],
  ['loopback in two parts', '127.1'],
  ['loopback in three parts', ['127', '0', '1'].join('.')],
  ['loopback with a dot at its end', '127.0.0.1.'],
  ['loopback in full-width digits', '１２７.０.０.１'],
  ['loopback in circled digits', '①②⑦.⓪.⓪.①'],
  ['loopback with a tab inside', '127.0.\t0.1'],
  ['loopback behind a backslash', '127.0.0.1\\@1.1.1.1'],
  ['loopback with wide dots', '127。0。0。1'],
  ['loopback, percent-encoded', '%31%32%37.0.0.1'],
  ['the unspecified address', '0.0.0.0'],
  ['the unspecified address as 0', '0'],
  ['0.0.0.0/8', '0.1.2.3'],
  ['10.0.0.0/8', '10.0.0.1'],
  ['10.0.0.0/8 as one number', '167772161'],
  ['172.16.0.0/12', '172.31.255.255'],
  ['192.168.0.0/16', '192.168.1.1'],
  ['192.168.0.0/16 in hexadecimal', '0xc0.0xa8.0x1.0x1'],
  ['carrier-grade NAT', '100.64.0.1'],
  ['metadata of a cloud in carrier-grade NAT', '100.100.100.200'],
  ['link-local', '169.254.0.1'],
  ['metadata', '169.254.169.254'],
  ['metadata as one number', '2852039166'],
  ['metadata in octal', '0251.0376.0251.0376'],
  ['metadata at a public address', '168.63.129.16'],
  ['metadata of a cloud in 192.0.0.0/24', '192.0.0.192'],
  ['multicast', '224.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ['reserved', '240.0.0.1'],
  ['documentation', '203.0.113.7'],
  ['benchmarks', '198.18.0.1'],
  ['loopback in IPv6', '[::1]'],
  ['loopback in IPv6, in full', '[0:0:0:0:0:0:0:1]'],
  ['unspecified in IPv6', '[::]'],
  ['mapped loopback', '[::ffff:127.0.0.1]'],
  ['mapped loopback in hexadecimal', '[::ffff:7f00:1]'],
  ['mapped metadata', '[::ffff:169.254.169.254]'],
  ['mapped private', '[::ffff:10.0.0.1]'],
  ['translated loopback', '[::ffff:0:127.0.0.1]'],
  ['IPv4-compatible loopback', '[::127.0.0.1]'],
  ['NAT64 of loopback', '[64:ff9b::127.0.0.1]'],
  ['NAT64 of metadata', '[64:ff9b::a9fe:a9fe]'],
  ['discarded', '[100::1]'],
  ['relays of 6to4', '192.88.99.1'],
  ['segments of routers', '[5f00::1]'],
  ['local NAT64', '[64:ff9b:1::1]'],
  ['6to4 of loopback', '[2002:7f00:1::]'],
  ['Teredo', '[2001::1]'],
  ['unique local', '[fd00::1]'],
  ['metadata in unique local', '[fd00:ec2::254]'],
  ['link-local in IPv6', '[fe80::1]'],
  ['site-local', '[fec0::1]'],
  ['multicast in IPv6', '[ff02::1]'],
  ['documentation in IPv6', '[2001:db8::1]'],
]

for (const [what, host] of spellings)
  test(`15.1.1 a literal address is refused in every spelling: ${what}`, async () => {
    const outbound = guard('production')
    const url = `https://${host}/hook`
    const bare = URL.canParse(url) ? new URL(url).hostname : host
    assert.equal(outbound.refusal(url), notPublic, bare)
    await assert.rejects(outbound.send(request(url)), { message: notPublic })
  })

test('15.1.1 public addresses are those of the global internet', () => {
  for (const each of ['1.1.1.1', '93.184.216.34', '2606:4700::1111', '64:ff9b::1.1.1.1', '::ffff:1.1.1.1'])
    assert.equal(isPublicAddress(each), true, each)
  for (const each of ['', 'localhost', '127.0.0.1%lo', '1.1.1.1.1']) assert.equal(isPublicAddress(each), false, each)
})

const schemes = ['ftp://example.com/', 'file:///etc/passwd', 'gopher://127.0.0.1:70/', 'data:,x', '//x', 'https://', '']
for (const url of schemes)
  test(`15.1.2 only https: is an address to send to, not "${url}"`, () => {
    assert.equal(guard('development').refusal(url), noHttps)
  })

test('15.1.2 http: is refused in production, whatever the address', async () => {
  const outbound = guard('production', { 'receiver.example': ['1.1.1.1'] })
  assert.equal(outbound.refusal('http://1.1.1.1/'), noHttps)
  await assert.rejects(outbound.send(request('http://receiver.example/')), { message: noHttps })
})

test('15.1.2 an address with a password is refused', () => {
  assert.equal(guard('development').refusal('https://me:secret@1.1.1.1/'), 'The address must not hold a password.')
})

for (const name of ['localhost', 'LOCALHOST', 'localhost.', 'inner.localhost', 'inner.localhost.'])
  test(`15.1.1 the names of this machine are refused: ${name}`, async () => {
    const outbound = createOutbound({ rule: rules.production, limits: defaultLimits })
    await assert.rejects(outbound.send(request(`https://${name}/`)), { message: notPublic })
  })

test('15.1.1 a name is refused if any of its addresses is not public', async () => {
  const names = {
    'inside.example': ['10.0.0.1'],
    'mixed.example': ['1.1.1.1', '127.0.0.1'],
    'six.example': ['2606:4700::1111', 'fd00::1'],
    'odd.example': ['not an address'],
  }
  for (const name of Object.keys(names))
    await assert.rejects(guard('production', names).send(request(`https://${name}/`)), { message: notPublic }, name)
  await assert.rejects(guard('production').send(request('https://nowhere.example/')), {
    message: 'The name has no address.',
  })
})

test('15.1.1 the connection goes to the address that was checked, also if the name has another one by then', async () => {
  let requests = 0
  const port = await listenHttp((_, response) => {
    requests++
    response.end('ok')
  })
  let lookups = 0
  const changing = createOutbound({
    rule: createAddressRule({ outbound: '127.0.0.1/32', production: true }),
    resolve: async () => (lookups++ === 0 ? ['127.0.0.1'] : ['10.0.0.1']),
    limits: defaultLimits,
  })
  const { status, body, isPublic } = await changing.send(request(`http://changing.example:${port}/`))
  assert.deepEqual([status, body.toString(), isPublic, lookups, requests], [200, 'ok', false, 1, 1])
  await assert.rejects(changing.send(request(`http://changing.example:${port}/`)), { message: notPublic })
  assert.equal(requests, 1)
})

for (const status of [301, 302, 303, 307, 308])
  test(`15.1.3 a redirect ${status} is an answer, and is not followed`, async () => {
    let requests = 0
    const port = await listenHttp((_, response) => {
      requests++
      response.writeHead(status, { location: '/elsewhere' }).end()
    })
    const answer = await guard('development').send(request(`http://127.0.0.1:${port}/`))
    assert.deepEqual([answer.status, requests], [status, 1])
  })

test('15.1.3 no proxy of the environment is used', async () => {
  const port = await listenHttp((_, response) => response.end('direct'))
  const before = { ...process.env }
  Object.assign(process.env, {
    HTTP_PROXY: 'http://127.0.0.1:1',
    http_proxy: 'http://127.0.0.1:1',
    NODE_USE_ENV_PROXY: '1',
  })
  try {
    const { body } = await guard('development').send(request(`http://127.0.0.1:${port}/`))
    assert.equal(body.toString(), 'direct')
  } finally {
    process.env = before
  }
})

const ends: readonly (readonly [what: string, answer: (socket: Socket) => void, reason: RegExp])[] = [
  ['that never answers', () => undefined, /^No answer within 300 milliseconds\.$/],
  ['that sends a head byte by byte', (socket) => trickle(socket, 'HTTP/1.1 200 OK\r\nX: '), /^No answer within/],
  ['whose body never ends', (socket) => trickle(socket, 'HTTP/1.1 200 OK\r\n\r\n'), /^No answer within/],
  [
    'that informs without end',
    (socket) => trickle(socket, '', 'HTTP/1.1 103 Early Hints\r\n\r\n'),
    /^No answer within/,
  ],
  ['that closes at once', (socket) => socket.destroy(), /^The connection was closed before an answer\.$/],
  ['that answers no HTTP', (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'), /^The answer is no HTTP response\.$/],
  [
    'with endless headers',
    (socket) => socket.write(`HTTP/1.1 200 OK\r\n${`X-Long: ${'x'.repeat(1_000)}\r\n`.repeat(40)}`),
    /^The answer is no HTTP response\.$/,
  ],
  [
    'that upgrades',
    (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
    /^The answer is no HTTP response\.$/,
  ],
  ['with a broken length', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n'), /no HTTP response/],
  [
    'with a negative length',
    (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n'),
    /no HTTP response/,
  ],
  [
    'with a length and chunks',
    (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'),
    /no HTTP response/,
  ],
  [
    'with an endless extension of a chunk',
    (socket) => socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(100_000)}`),
    /closed before/,
  ],
  [
    'with endless trailers',
    (socket) =>
      socket.write(
        `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n${`X: ${'x'.repeat(1_000)}\r\n`.repeat(100)}`,
      ),
    /closed before/,
  ],
  ['with a zero byte in a header', (socket) => socket.end('HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n'), /no HTTP response/],
  ['that ends amid its body', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx'), /closed before/],
  ['of HTTP/2', (socket) => socket.end(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])), /no HTTP response/],
  [
    'that splits its header lines',
    (socket) => socket.end('HTTP/1.1 200 OK\r\nX: a\nINFO injected\r\n\r\n'),
    /^The answer is no HTTP response\.$/,
  ],
]
function trickle(socket: Socket, first: string, rest = 'x') {
  socket.write(first)
  const timer = setInterval(() => socket.write(rest), 10)
  socket.on('close', () => clearInterval(timer))
}
for (const [what, answer, reason] of ends)
  test(`15.1.3 time and size are limited: a server ${what}`, async () => {
    const port = await listenRaw(answer)
    const sent = guard('development').send(request(`http://127.0.0.1:${port}/`, { timeoutMs: 300, bodyBytes: 1e9 }))
    await assert.rejects(sent, (error: Error) => {
      assert.match(error.message, reason)
      assert.doesNotMatch(error.message, /[\r\n]/)
      return true
    })
  })

test('15.1.3 a compressed body is not unpacked', async () => {
  const bomb = gzipSync(Buffer.alloc(10_000_000))
  const port = await listenHttp((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb))
  const { body } = await guard('development').send(request(`http://127.0.0.1:${port}/`, { bodyBytes: 1e9 }))
  assert.deepEqual(body, bomb)
})

test('15.1.3 an endless body is cut', async () => {
  const port = await listenHttp((_, response) => {
    const write = (): void => {
      if (!response.destroyed && response.write('x'.repeat(65_536))) setImmediate(write)
      else response.once('drain', write)
    }
    write()
  })
  const { body } = await guard('development').send(request(`http://127.0.0.1:${port}/`))
  assert.equal(body.toString(), 'x'.repeat(1_024))
})

test('15.1.3 a closed port and a name without answer are reasons, without addresses', async () => {
  const port = await listenHttp(() => undefined)
  await closing.pop()!()
  await assert.rejects(guard('development').send(request(`http://127.0.0.1:${port}/`)), {
    message: 'The connection was refused.',
  })
  const never = createOutbound({
    rule: rules.production,
    resolve: (_, signal) => once(signal, 'abort').then(() => []),
    limits: defaultLimits,
  })
  await assert.rejects(never.send(request('https://slow.example/', { timeoutMs: 50 })), {
    message: 'No answer within 50 milliseconds.',
  })
})

test('15.1.2 TLS is verified: a certificate must be of a known authority, and of this name', async () => {
  const { key, certificate } = await makeCertificate('receiver.example')
  const port = await listen(createSecureServer({ key, cert: certificate }, (_, response) => response.end('ok')))
  const names = { 'receiver.example': ['127.0.0.1'], 'other.example': ['127.0.0.1'] }
  const untrusting = guard('loopback', names)
  const trusting = guard('loopback', names, [certificate])
  const invalid = { message: 'TLS failed: the certificate or the protocol is not valid.' }
  assert.equal((await trusting.send(request(`https://receiver.example:${port}/`))).status, 200)
  await assert.rejects(untrusting.send(request(`https://receiver.example:${port}/`)), invalid)
  await assert.rejects(trusting.send(request(`https://other.example:${port}/`)), invalid)
  const old = { key, cert: certificate, maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'ALL@SECLEVEL=0' } as const
  const outdated = await listen(createSecureServer(old, (_, response) => response.end('ok')))
  await assert.rejects(trusting.send(request(`https://receiver.example:${outdated}/`)), invalid)
  const silent = await listenRaw(() => undefined)
  await assert.rejects(trusting.send(request(`https://receiver.example:${silent}/`, { timeoutMs: 300 })), {
    message: 'No answer within 300 milliseconds.',
  })
  const plain = await listenHttp((_, response) => response.end('ok'))
  await assert.rejects(trusting.send(request(`https://receiver.example:${plain}/`)), invalid)
})

test('15.1.4 OUTBOUND adds ranges, or all addresses; development adds this machine', () => {
  const judged = (outbound: string | null, production: boolean, address: string) =>
    createAddressRule({ outbound, production }).judge(address)
  const inside = { isPublic: false, allowsHttp: true }
  assert.deepEqual(judged(null, false, '127.0.0.1'), inside)
  assert.deepEqual(judged(null, false, '::1'), inside)
  assert.equal(judged(null, false, '10.0.0.1'), null)
  assert.deepEqual(judged('10.0.0.0/8, fd00::/8', true, '10.0.0.1'), inside)
  assert.deepEqual(judged('10.0.0.0/8, fd00::/8', true, 'fd00::1'), inside)
  assert.deepEqual(judged('10.0.0.7', true, '10.0.0.7'), inside)
  assert.equal(judged('10.0.0.7', true, '10.0.0.8'), null)
  assert.equal(judged('10.0.0.0/8', true, '127.0.0.1'), null)
  assert.deepEqual(judged('any', true, '169.254.169.254'), inside)
  assert.deepEqual(judged('10.0.0.0/8', true, '1.1.1.1'), { isPublic: true, allowsHttp: false })
})

test('15.1.4 a wrong OUTBOUND stops the start', () => {
  for (const text of ['all', '10.0.0.0/33', '10/8', 'example.com'])
    assert.throws(() => readConfiguration({ OUTBOUND: text }), {
      message: `OUTBOUND must be any, or CIDR ranges between commas such as 10.0.0.0/8; "${text}" is none.`,
    })
})
