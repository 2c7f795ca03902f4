type Answer = { status: number; body: unknown }
export type Data = Record<string, unknown>

/**
 * The app's online mode: plain JSON, a Bearer token or Basic, and the bare value as the answer
 * (docs/phone-sync.md, "Online mode and forced sync").
 */
export class OnlineApp {
  #token = ''

  private constructor(
    readonly origin: string,
    readonly email: string,
    readonly password: string,
  ) {}

  static async signedIn(origin: string, email: string, password: string): Promise<OnlineApp> {
    const app = new OnlineApp(origin, email, password)
    await app.signIn()
    return app
  }

  async signIn(): Promise<Answer> {
    const { email, password } = this
    const answer = await this.post('/rpc/command', { command: 'login', data: { email, password } })
    this.#token = (answer.body as { token: string }).token
    return answer
  }

  get bearer() {
    return `Bearer ${this.#token}`
  }

  get basic() {
    return `Basic ${Buffer.from(`${this.email}:${this.password}`).toString('base64')}`
  }

  async post(path: string, body: unknown, authorization?: string): Promise<Answer> {
    const response = await fetch(this.origin + path, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
    })
    return { status: response.status, body: await response.json() }
  }

  tryQuery = (query: string, params: Data) => this.#call('/rpc/query', { query, params })
  tryCommand = (command: string, data: Data) => this.#call('/rpc/command', { command, data })
  query = async (query: string, params: Data) => valueOf(await this.tryQuery(query, params))
  command = async (command: string, data: Data) => valueOf(await this.tryCommand(command, data))

  /** The answer 401 makes the app sign in again. */
  async #call(path: string, body: Data): Promise<Answer> {
    const answer = await this.post(path, body, this.bearer)
    if (answer.status !== 401) return answer
    await this.signIn()
    return this.post(path, body, this.bearer)
  }
}

function valueOf({ status, body }: Answer) {
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body as never
}

/**
 * What the app sends to register or change a patient: "" and {} for what it does not hold.
 */
export const toRegister = (patient: Data, additional_attributes: Data[] = []) => ({
  patient: {
    given_name: '',
    surname: '',
    date_of_birth: '',
    sex: '',
    citizenship: '',
    hometown: '',
    phone: '',
    camp: '',
    additional_data: {},
    metadata: {},
    photo_url: '',
    government_id: '',
    external_patient_id: '',
    created_at: NOW,
    updated_at: NOW,
    ...patient,
  },
  additional_attributes,
})

export const NOW = '2026-11-22T08:30:00.000Z'

/** The app gives an answer its field's id, and leaves the patient's to the server. */
export const answerTo = (fieldId: string, attribute: string, value: Data): Data => ({
  id: fieldId,
  patient_id: '',
  attribute_id: fieldId,
  attribute,
  ...value,
  metadata: {},
  is_deleted: false,
  created_at: NOW,
  updated_at: NOW,
  last_modified: NOW,
  server_created_at: NOW,
})
