import { Alert, Button, Paper, Text } from '@mantine/core'
import { IconHistory, IconRestore } from '@tabler/icons-react'
import { useRouter } from '@tanstack/react-router'
import { type ReactNode, useMemo, useRef, useState } from 'react'
import { toast } from '~/ui/toast'
import { useFormatter } from 'use-intl'
import { api } from '~/client/api'
import { overridesFrom } from '~/features/medicines/safety/OverrideReason'
import type { EarlierOverride } from '~/features/medicines/safety/overrides.server'
import { refusedSeconds, withoutSeconds } from '~/features/medicines/safety/second/second-person'
import { isEmpty } from '~/fields/kind'
import { answerKind } from '~/forms/answers'
import { fieldsOfForm } from '~/forms/answers-fields'
import type { Definition } from '~/forms/checked-definition'
import { type AnswerTools, FormAnswers } from '~/forms/FormAnswers'
import { settle } from '~/forms/form-answers'
import { localized } from '~/forms/translations'
import { doubtsIn } from '~/features/care/vitals/vital'
import { AppError, invalid, type Message } from '~/shared/errors'
import { newId } from '~/shared/id'
import { type Language, type MessageKey, translated } from '~/shared/language'
import { useSay } from '~/shared/say'
import { confirm } from '~/ui/confirm'
import { FieldForm } from '~/ui/FieldForm'
import { useEventDraft } from './event-draft'
import { fileUrl } from '../file-url'
import { MedicineSafety } from './MedicineSafety'
import type { StartedEvent, WholeEvent } from '../events.server'

type Props = {
  /** A form to be filled in, or an event to be changed. */
  start: StartedEvent | WholeEvent
  formId: string
  userId: string
  language: Language
  cancel: ReactNode
}

/** A form of the clinic, filled in or changed; kept on this device until it is saved. */
export function FillForm({ start, formId, userId, language, cancel }: Props) {
  const say = useSay()
  const router = useRouter()
  const event = 'id' in start ? start : undefined
  const visitId = start.visit?.id ?? null
  const form: Definition = useMemo(() => localized(start.form, language), [start.form, language])
  const questions = form.form_fields
  const labels = useMemo(
    () => Object.fromEntries(questions.map(({ id, name }) => [id, name])),
    [questions],
  )
  const draftName = `event:${userId}:${event?.id ?? `${visitId}:${formId}`}`
  const draft = useEventDraft(draftName, event, labels)
  const fields = useMemo(() => fieldsOfForm(questions, say), [questions, say])
  const { reasons } = draft
  const [isAsked, setAsked] = useState(false)
  const [allergiesReason, setAllergiesReason] = useState('')
  const [earlier, setEarlier] = useState<readonly EarlierOverride[]>([])
  const belowMedicines = (
    <MedicineSafety
      patientId={start.subject.patient_id}
      clinicId={start.visit?.clinic_id ?? null}
      eventId={draft.id}
      questions={questions}
      earlier={earlier}
      onEarlier={setEarlier}
      reasons={reasons}
      onReason={draft.giveReason}
      isAsked={isAsked}
      allergiesReason={allergiesReason}
      onAllergiesReason={setAllergiesReason}
    />
  )
  const tools = { ...useTools(draft, visitId, language), belowMedicines }
  /** Of a draft that was begun earlier: the version of the answers that it was begun on. */
  const against = useRef(draft.lastModified)

  async function save(values: Record<string, unknown>) {
    const { problems } = settle(questions, values, event ? event.answers : {}, start.subject)
    if (Object.keys(problems).length > 0) throw invalid(problems)
    const answers = questions
      .filter((question) => answerKind(question) !== null && !question.rules?.compute)
      .map(({ id }) => ({ fieldId: id, value: values[id] ?? null }))
    const data = {
      id: draft.id,
      last_modified: against.current ?? event?.last_modified,
      patient_id: start.subject.patient_id,
      visit_id: visitId,
      form_id: formId,
      form_version: start.form_version ?? undefined,
      answers,
      overrides: overridesFrom(
        reasons,
        Object.keys(reasons).map((key) => ({ key })),
      ),
      allergies_reason: allergiesReason || null,
    }
    const saved = api.events
      .save({ ...data, check_plausible: true, confirmed: [] })
      .catch(async (error: unknown) => {
        const doubts = doubtsIn(error)
        if (doubts.length === 0 || !(await isRight(doubts))) throw error
        const confirmed = doubts.map(([id]) => id)
        return api.events.save({ ...data, check_plausible: true, confirmed })
      })
    // after a stale save, the newest version is read, and the next save is against that
    against.current = undefined
    await saved.catch((error: unknown) => {
      setAsked(lacksReasons(error))
      const refused = refusedSeconds(error, data.overrides)
      if (refused.length > 0) draft.giveReasons(withoutSeconds(reasons, refused))
      throw error
    })
    draft.forget()
    toast.success(say({ key: 'events.savedDone', values: { form: form.name } }))
    // the page of the answers offers to list a diagnosis and to prescribe a medicine; otherwise the patient is next
    const hasOffers = questions.some(
      ({ id, fieldType }) => ['diagnosis', 'medicine'].includes(fieldType) && !isEmpty(values[id]),
    )
    await router.navigate(
      event || hasOffers
        ? { to: '/app/events/$eventId', params: { eventId: draft.id } }
        : {
            to: '/app/patients/$patientId',
            params: { patientId: start.subject.patient_id },
            search: { tab: 'visits' },
          },
    )
  }

  /** Asks once more about a value that is hardly possible, as the screen of vital signs does. */
  const isRight = (doubts: readonly [string, Message][]) =>
    confirm({
      title: 'vitals.doubtfulTitle',
      text: {
        text: doubts
          .map(([id, doubt]) => {
            const name = questions.find((question) => question.id === id)?.name ?? ''
            return `${name}: ${say(doubt)}`
          })
          .join(' '),
      },
      action: 'vitals.saveAnyway',
    })

  async function discard() {
    const isMeant = await confirm({
      text: 'events.discardAsks',
      action: 'events.discard',
      destructive: true,
    })
    if (isMeant) draft.discard()
  }

  return (
    <>
      {draft.keptAt && (
        <Told icon={IconRestore} what="events.draftFound" at={draft.keptAt}>
          <Button size="xs" variant="default" mt="xs" onClick={() => void discard()}>
            {say('events.discard')}
          </Button>
        </Told>
      )}
      {'answeredAt' in start && start.answeredAt && (
        <Told icon={IconHistory} what="events.startsFromLast" at={start.answeredAt} />
      )}
      {!event && !start.is_editable && <Alert color="yellow">{say('events.onlyOnce')}</Alert>}
      <FieldForm
        key={draft.round}
        fields={fields}
        ownFields={['allergies_reason']}
        values={start.answers as Record<string, never>}
        typed={draft.typed}
        submit="common.save"
        cancel={cancel}
        formerLabels={draft.labels}
        onDraft={draft.keep}
        onSubmit={save}
      >
        {() => (
          <Paper withBorder p={{ base: 'md', sm: 'lg' }}>
            <FormAnswers questions={questions} subject={start.subject} tools={tools} />
          </Paper>
        )}
      </FieldForm>
    </>
  )
}

const lacksReasons = (error: unknown) =>
  error instanceof AppError &&
  Object.values(error.fields).some(
    ({ key }) => key === 'safety.needReasons' || key === 'safety.typeName',
  )

/** What the questions need of the product: the code list, and a place for files. */
function useTools(
  draft: ReturnType<typeof useEventDraft>,
  visitId: string | null,
  language: Language,
): AnswerTools {
  return {
    async searchDiagnoses(query) {
      const found = await api.problems.searchCodes({ query, limit: 8 })
      return found.map(({ code, labels }) => ({ code, desc: translated(labels, language) }))
    },
    sendFile:
      visitId === null
        ? undefined
        : async (field_id, file) => {
            const data = {
              id: newId(),
              event_id: draft.id,
              visit_id: visitId,
              field_id,
              name: file.name,
            }
            const sent = await api.eventFiles.save({ ...data, content: await base64(file) })
            draft.addFile(sent)
            return sent
          },
    fileUrl,
    files: draft.files,
  }
}

const base64 = (file: File) =>
  new Promise<string>((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () =>
      resolve((reader.result as string).replace(/^data:[^,]*,/, '')),
    )
    reader.addEventListener('error', () =>
      reject(reader.error ?? new Error('The file cannot be read')),
    )
    reader.readAsDataURL(file)
  })

type ToldProps = { icon: typeof IconRestore; what: MessageKey; at: Date; children?: ReactNode }

function Told({ icon: Icon, what, at, children }: ToldProps) {
  const say = useSay()
  const format = useFormatter()
  const when = format.dateTime(at, { dateStyle: 'medium', timeStyle: 'short' })
  return (
    <Alert color="sanad" variant="light" role="none" icon={<Icon size={18} aria-hidden />}>
      <Text component="output" size="sm" display="block">
        {say({ key: what, values: { when } })}
      </Text>
      {children}
    </Alert>
  )
}
