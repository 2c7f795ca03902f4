import { requestJson, basicCredentials, type OutgoingRequest } from '~/server/outgoing.server'

/** The configured server, with its password or token in plain text. */
export type Dhis2Server = { address: string; username: string | null; secret: string }

type Asked = Pick<OutgoingRequest, 'method' | 'body' | 'contentType' | 'signal'> & { path: string }

/** Asks the configured server; throws `RequestFailure` without an answer. */
export const askDhis2 = (server: Dhis2Server, { path, ...asked }: Asked, patience?: number) =>
  requestJson(
    {
      ...asked,
      url: new URL(`${server.address.replace(/\/+$/, '')}${path}`),
      headers: { authorization: credentials(server) },
    },
    patience,
  )

/** https://docs.dhis2.org, Web API, "Authentication": basic, or a personal access token. */
const credentials = ({ username, secret }: Dhis2Server) =>
  username === null ? `ApiToken ${secret}` : basicCredentials(username, secret)
