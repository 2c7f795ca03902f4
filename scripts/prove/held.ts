import { once } from 'node:events'
import { freePort, type ServerSettings } from '../bench/server'

/** Lets `heldBy` look into a server: settings for its start, and the port of its inspector. */
export async function inspected(
  settings: ServerSettings,
): Promise<{ settings: ServerSettings; port: string }> {
  const port = await freePort()
  const options = `--inspect=127.0.0.1:${port} --inspect-publish-uid=http`
  return { settings: { ...settings, NODE_OPTIONS: options }, port }
}

const COLLECTED = `(async () => {
  gc()
  // buffers are given back after the collection
  await new Promise((resolve) => setTimeout(resolve, 200))
  gc()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
})()`

/** Bytes of the heap and of buffers that a server holds once its garbage is collected. */
export async function heldBy(port: string): Promise<number> {
  const targets = await fetch(`http://127.0.0.1:${port}/json/list`)
  const [target] = (await targets.json()) as { webSocketDebuggerUrl: string }[]
  const socket = new WebSocket(target!.webSocketDebuggerUrl)
  await once(socket, 'open')
  try {
    // https://chromedevtools.github.io/devtools-protocol/v8/Runtime/#method-evaluate
    const params = { expression: COLLECTED, awaitPromise: true, returnByValue: true }
    socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params }))
    const [answer] = (await once(socket, 'message')) as [MessageEvent<string>]
    const { result } = JSON.parse(answer.data) as { result: { result: { value?: number } } }
    if (typeof result.result.value !== 'number')
      throw new Error(`The inspector answered ${answer.data}`)
    return result.result.value
  } finally {
    socket.close()
  }
}
