import { Alert, Button, Code, Group, Modal, Stack, Text } from '@mantine/core'
import { IconDeviceMobile } from '@tabler/icons-react'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { toast } from '~/ui/toast'
import { api } from '~/client/api'
import { type Sayable, useSay } from '~/shared/say'
import { FieldForm } from '~/ui/FieldForm'
import { Moment } from '~/ui/Moment'
import { StatusBadge } from '~/ui/StatusBadge'
import { AccountSection } from '../AccountSection'
import { AppPasswordCode } from '../app-passwords/AppPasswordCode'
import { useCreated } from '../app-passwords/created'
import { FocusFirst } from '../FocusFirst'
import { RecoveryCodes } from './RecoveryCodes'
import {
  accepted,
  codeFields,
  confirmFields,
  confirmWithCodeFields,
  renameFields,
} from '../session'
import { disableTwoFactor, enableTwoFactor } from '../sessions.functions'
import classes from './TwoFactor.module.css'

type Offer = { password: string; secret: string; qrCode: string }
/** The current step of the dialog. */
type Step =
  | { name: 'start' | 'disable' | 'newCodes' }
  | { name: 'scan'; offer: Offer }
  | { name: 'codes'; codes: string[]; password?: string }
  /** The phones just stopped syncing: offers one a password of its own. */
  | { name: 'phone'; password: string }
  | { name: 'phoneCode'; code: string }

/** The second factor, on or off, and the way from one to the other. */
export function TwoFactor({ since, codesLeft }: { since: Date | null; codesLeft: number }) {
  const say = useSay()
  const [step, setStep] = useState<Step | null>(null)
  const badge = (
    <StatusBadge tone={since ? 'good' : 'quiet'}>
      {say(since ? 'twoFactor.on' : 'twoFactor.off')}
    </StatusBadge>
  )
  return (
    <AccountSection title="twoFactor.title" lead={say('twoFactor.text')} aside={badge}>
      {since && (
        <Text size="sm">
          {say('twoFactor.since')} <Moment at={since} /> ·{' '}
          {say({ key: 'twoFactor.left', values: { count: codesLeft } })}
        </Text>
      )}
      <Group gap="xs">
        {!since && (
          <Button onClick={() => setStep({ name: 'start' })}>{say('twoFactor.start')}</Button>
        )}
        {since && (
          <>
            <Button variant="default" onClick={() => setStep({ name: 'newCodes' })}>
              {say('twoFactor.newCodes')}
            </Button>
            <Button variant="default" onClick={() => setStep({ name: 'disable' })}>
              {say('twoFactor.disable')}
            </Button>
          </>
        )}
      </Group>
      <Dialog step={step} onStep={setStep} />
    </AccountSection>
  )
}

const titles: Record<Step['name'], Sayable> = {
  start: 'twoFactor.start',
  disable: 'twoFactor.disable',
  newCodes: 'twoFactor.newCodes',
  scan: 'twoFactor.scan',
  codes: 'twoFactor.codesTitle',
  phone: 'appPasswords.add',
  phoneCode: 'appPasswords.add',
}

function Dialog({ step, onStep }: { step: Step | null; onStep: (step: Step | null) => void }) {
  const say = useSay()
  // codes are shown once: a stray click or Escape must not take them away
  const mustStay = step?.name === 'codes' || step?.name === 'phoneCode'
  return (
    <Modal
      opened={step !== null}
      onClose={() => onStep(null)}
      title={step && <Text fw={600}>{say(titles[step.name])}</Text>}
      closeOnClickOutside={!mustStay}
      closeOnEscape={!mustStay}
      withCloseButton={!mustStay}
      closeButtonProps={{ 'aria-label': say('common.close') }}
    >
      {step && <FocusFirst key={step.name}>{<Content step={step} onStep={onStep} />}</FocusFirst>}
    </Modal>
  )
}

function Content({ step, onStep }: { step: Step; onStep: (step: Step | null) => void }) {
  const say = useSay()
  const router = useRouter()
  if (step.name === 'codes') {
    const { codes, password } = step
    const next: Step | null = password ? { name: 'phone', password } : null
    return <RecoveryCodes codes={codes} onKept={() => onStep(next)} />
  }
  if (step.name === 'phone') return <PhoneOffer password={step.password} onStep={onStep} />
  if (step.name === 'phoneCode')
    return <AppPasswordCode code={step.code} onKept={() => onStep(null)} />
  if (step.name === 'scan') {
    return (
      <Scan
        offer={step.offer}
        onEnabled={async (codes) => {
          onStep({ name: 'codes', codes, password: step.offer.password })
          toast.success(say('twoFactor.enabled'))
          await router.invalidate()
        }}
      />
    )
  }
  const steps = {
    start: async (password: string) => {
      const { secret, qrCode } = accepted(await api.twoFactor.start({ password }))
      onStep({ name: 'scan', offer: { password, secret, qrCode } })
    },
    newCodes: async (password: string) => {
      const { recoveryCodes } = accepted(await api.twoFactor.newRecoveryCodes({ password }))
      onStep({ name: 'codes', codes: recoveryCodes })
      await router.invalidate()
    },
  }
  if (step.name === 'disable') {
    return (
      <Stack>
        <Text size="sm">{say('twoFactor.confirmDisable')}</Text>
        <FieldForm
          fields={confirmWithCodeFields}
          submit="twoFactor.disable"
          onSubmit={async (confirmed) => {
            accepted(await disableTwoFactor({ data: confirmed }))
            onStep(null)
            toast.success(say('twoFactor.disabled'))
            await router.invalidate()
          }}
        />
      </Stack>
    )
  }
  const proceed = steps[step.name]
  return (
    <Stack>
      {step.name === 'start' && <PhonesStop />}
      <Text size="sm">{say('twoFactor.confirm')}</Text>
      <FieldForm
        fields={confirmFields}
        submit="sessions.continue"
        onSubmit={({ password }) => proceed(password)}
      />
    </Stack>
  )
}

function PhonesStop() {
  const say = useSay()
  return (
    <Alert color="yellow" icon={<IconDeviceMobile aria-hidden />}>
      {say('twoFactor.phonesStop')}
    </Alert>
  )
}

function PhoneOffer({
  password,
  onStep,
}: {
  password: string
  onStep: (step: Step | null) => void
}) {
  const say = useSay()
  const create = useCreated()
  return (
    <Stack>
      <PhonesStop />
      <FieldForm
        fields={renameFields}
        submit="appPasswords.create"
        cancel={
          <Button variant="default" onClick={() => onStep(null)}>
            {say('twoFactor.notNow')}
          </Button>
        }
        onSubmit={async ({ name }) =>
          onStep({ name: 'phoneCode', code: await create({ name, password }) })
        }
      />
    </Stack>
  )
}

function Scan({
  offer,
  onEnabled,
}: {
  offer: Offer
  onEnabled: (codes: string[]) => Promise<void>
}) {
  const say = useSay()
  return (
    <Stack>
      <img
        className={classes.qrCode}
        alt={say('twoFactor.qrCode')}
        src={`data:image/svg+xml,${encodeURIComponent(offer.qrCode)}`}
      />
      <Text size="sm">
        {say('twoFactor.scanText')}{' '}
        <Code className={classes.key}>{offer.secret.replaceAll(/.{4}(?=.)/g, '$& ')}</Code>
      </Text>
      <Text size="sm">{say('twoFactor.enterCode')}</Text>
      <FieldForm
        fields={codeFields}
        submit="twoFactor.enable"
        onSubmit={async ({ code }) => {
          const { recoveryCodes } = accepted(
            await enableTwoFactor({ data: { password: offer.password, code } }),
          )
          await onEnabled(recoveryCodes)
        }}
      />
    </Stack>
  )
}
