import { Alert, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { IconCopy, IconPrinter, IconSend } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '~/client/api'
import { explainError } from '~/client/explain'
import { LinkAnchor } from '~/client/links'
import { useQuery } from '~/client/query'
import { PickList } from '~/fields/PickList'
import { programName } from '~/features/care/programs/programs'
import { newId } from '~/shared/id'
import { type Language, LANGUAGES, languageNames } from '~/shared/language'
import { useSay, useLanguage } from '~/shared/say'
import { useAction } from '~/ui/action'
import { Dialog } from '~/ui/Dialog'
import { Moment } from '~/ui/Moment'
import type { Way } from './message'
import { MessagePreview } from './MessagePreview'
import type { PreparedMessage } from './messages.server'

type Props = {
  patient: { id: string; name: string }
  /** Those that list the patient; the message is about one of them, the first unless another is chosen. */
  programs: readonly string[]
  onClose: () => void
}

/** One message to a patient who should have come: its text in a language, and the ways to deliver it. */
export function MessageDialog({ patient, programs, onClose }: Props) {
  const say = useSay()
  const own = useLanguage()
  const [program, setProgram] = useState(programs[0] ?? '')
  const { data, error } = useQuery('messages.prepare', { patient_id: patient.id, program })
  return (
    <Dialog
      onClose={onClose}
      size="md"
      title={say({ key: 'messages.writeTo', values: { name: patient.name } })}
    >
      {programs.length > 1 && (
        <PickList
          label={say('followups.program')}
          data={programs.map((value) => ({ value, label: programName(value, own) }))}
          value={program}
          onChange={(chosen) => chosen && setProgram(chosen)}
          allowDeselect={false}
          mb="md"
        />
      )}
      {error !== null && <Alert color="yellow">{say(explainError(error).text)}</Alert>}
      {data && (
        <Prepared
          key={program}
          prepared={data}
          patientId={patient.id}
          program={program}
          onClose={onClose}
        />
      )}
    </Dialog>
  )
}

type PreparedProps = {
  prepared: PreparedMessage
  patientId: string
  program: string
  onClose: () => void
}

function Prepared({ prepared, patientId, program, onClose }: PreparedProps) {
  const { agreed, texts, clinicPhone, phone, recent, hasGateway, sendsTo } = prepared
  const say = useSay()
  const navigate = useNavigate()
  const { run, pending } = useAction()
  const own = useLanguage()
  const [language, setLanguage] = useState<Language>(prepared.language ?? own)
  const body = texts[language]
  const create = (id: string, way: Way) =>
    api.messages.create({ id, patient_id: patientId, program, language, way, body })
  async function copy() {
    // before anything is awaited: a browser copies only during a press, and only over https
    const copying =
      'clipboard' in navigator ? navigator.clipboard.writeText(body) : Promise.reject()
    const isCopied = await copying.then(
      () => true,
      () => false,
    )
    const made = await run(() => create(newId(), 'copy'), {
      success: isCopied ? 'messages.copied' : 'messages.selectIt',
    })
    if (made && isCopied) onClose()
  }
  async function print() {
    await run(async () => {
      const id = newId()
      await create(id, 'print')
      await navigate({ to: '/app/follow-up/letter/$messageId', params: { messageId: id } })
    })
  }
  async function send() {
    const made = await run(() => create(newId(), 'send'), { success: 'messages.queued' })
    if (made) onClose()
  }
  const isAgreed = agreed.sms || agreed.letter
  const lacking = agreed.sms ? 'messages.noConsent_letter' : 'messages.noConsent_sms'
  return (
    <Stack gap="md">
      <SegmentedControl
        aria-label={say('messages.language')}
        value={language}
        onChange={(chosen) => setLanguage(chosen as Language)}
        data={LANGUAGES.map((value) => ({ value, label: languageNames[value] }))}
      />
      <MessagePreview text={body} language={language} />
      {!clinicPhone?.trim() && (
        <Text size="sm" c="dimmed">
          {say('messages.noClinicPhone')}
        </Text>
      )}
      {recent && (
        <Alert color="yellow">
          {say('messages.oneAWeek')} <Moment at={recent} />
        </Alert>
      )}
      {(!agreed.sms || !agreed.letter) && (
        <Alert color={isAgreed ? 'gray' : 'yellow'}>
          <Stack gap={4} align="flex-start">
            <Text size="sm">{say(isAgreed ? lacking : 'messages.noConsent')}</Text>
            <LinkAnchor
              size="sm"
              to="/app/patients/$patientId"
              params={{ patientId }}
              search={{ tab: 'details' }}
            >
              {say('messages.toConsent')}
            </LinkAnchor>
          </Stack>
        </Alert>
      )}
      {agreed.sms && (
        <Text size="sm">
          {phone?.trim() ? (
            <>
              {say('followups.phone')}: <bdi dir="ltr">{sendsTo ?? phone}</bdi>
              {hasGateway && !sendsTo && ` · ${say('messages.badPhone')}`}
            </>
          ) : (
            say('followups.noPhone')
          )}
        </Text>
      )}
      {isAgreed && !recent && (
        <Group gap="sm" justify="flex-end">
          {agreed.letter && (
            <Button
              variant="default"
              leftSection={<IconPrinter size={16} aria-hidden />}
              disabled={pending}
              onClick={() => void print()}
            >
              {say('messages.print')}
            </Button>
          )}
          {agreed.sms && phone?.trim() && (
            <Button
              variant={sendsTo ? 'default' : 'filled'}
              leftSection={<IconCopy size={16} aria-hidden />}
              disabled={pending}
              onClick={() => void copy()}
            >
              {say('messages.copy')}
            </Button>
          )}
          {agreed.sms && sendsTo && (
            <Button
              leftSection={<IconSend size={16} aria-hidden />}
              disabled={pending}
              onClick={() => void send()}
            >
              {say('messages.send')}
            </Button>
          )}
        </Group>
      )}
    </Stack>
  )
}
