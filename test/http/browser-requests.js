// JavaScript because it runs in a page of a browser: the tests' type definitions are those of Node.

/**
 * Sends each body in every way in which a page can reach a server. Resolves to the requests whose answers the page could read.
 * @param {{ node: string, bodies: readonly string[] }} what
 * @returns {Promise<string[]>}
 */
export async function tryAllRequests({ node, bodies }) {
  const read = []
  const types = ['application/json', 'text/plain', 'application/x-www-form-urlencoded']
  for (const body of bodies) {
    for (const path of ['/', '/rpc', '/api/eth-rpc']) {
      for (const type of types) {
        for (const mode of ['cors', 'no-cors']) {
          const init = { method: 'POST', mode, body, headers: { 'content-type': type } }
          const text = await fetch(node + path, init).then(
            (answer) => answer.text(),
            () => '',
          )
          if (text.includes('"result"')) read.push(`${mode} ${path} ${type}`)
        }
      }
      navigator.sendBeacon(node + path, body)
    }
    for (const path of ['/', '/rpc']) {
      const message = await new Promise((resolve) => {
        const socket = new WebSocket(node.replace('http', 'ws') + path)
        socket.onopen = () => socket.send(body)
        socket.onmessage = ({ data }) => resolve(String(data))
        socket.onerror = () => resolve('')
      })
      if (message.includes('"result"')) read.push(`WebSocket ${path}`)
    }
    // A form can send JSON too: name `{"jsonrpc":…,"x":"`, value `"}`, joined by `=`.
    const frame = document.createElement('iframe')
    frame.name = `frame${document.forms.length}`
    const form = Object.assign(document.createElement('form'), { method: 'POST', enctype: 'text/plain' })
    Object.assign(form, { action: node, target: frame.name })
    form.append(Object.assign(document.createElement('input'), { name: `${body.slice(0, -1)},"x":"`, value: '"}' }))
    document.body.append(frame, form)
    await new Promise((resolve) => {
      frame.onload = resolve
      form.submit()
    })
  }
  return read
}
