import { Avatar, FileButton, Menu, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { IconCamera, IconPhotoUp, IconTrash } from '@tabler/icons-react'
import { type ReactNode, useRef, useState } from 'react'
import { api } from '~/client/api'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { confirm } from '~/ui/confirm'
import { initials } from '~/ui/initials'
import { CameraDialog } from './CameraDialog'
import { patientName } from '../patient'
import { patientPhotoUrl } from './photo'
import { pictureBase64, type PictureUrl, pictureOfFile, useHasCamera } from './picture'

type Shown = {
  id: string
  given_name: string | null
  surname: string | null
  photo_url: string | null
}
type Props = { patient: Shown; size?: number; mayChange?: boolean }

/** The patient's photo or initials, with buttons to change it if the user may. */
export function PatientPhoto({ patient, size = 72, mayChange = false }: Props) {
  const say = useSay()
  const name = patientName(patient)
  const src = patientPhotoUrl(patient)
  const picture = (
    <Avatar
      src={src}
      alt={src ? say({ key: 'photos.of', values: { name } }) : ''}
      size={size}
      radius="md"
      color="sanad"
    >
      {initials(name) || undefined}
    </Avatar>
  )
  return mayChange ? <Changeable patient={patient}>{picture}</Changeable> : picture
}

function Changeable({
  patient: { id, photo_url },
  children,
}: {
  patient: Shown
  children: ReactNode
}) {
  const say = useSay()
  const { run, pending } = useAction()
  const hasCamera = useHasCamera()
  const [isShooting, setShooting] = useState(false)
  const reset = useRef<() => void>(null)

  const keep = (picture: PictureUrl | Promise<PictureUrl>) =>
    run(async () => api.photos.save({ id, image: pictureBase64(await picture) }), {
      success: 'photos.saved',
    })

  async function remove() {
    const question = {
      title: 'photos.remove',
      text: 'photos.removeAsks',
      action: 'photos.remove',
    } as const
    if (await confirm({ ...question, destructive: true })) {
      await run(() => api.photos.delete({ id }), { success: 'photos.removed' })
    }
  }

  return (
    <>
      <FileButton
        accept="image/jpeg,image/png"
        resetRef={reset}
        onChange={(file) => {
          // allows the user to choose the same file again
          reset.current?.()
          if (file) void keep(pictureOfFile(file))
        }}
      >
        {({ onClick: choose }) => (
          <Menu position="bottom-start">
            <Menu.Target>
              <UnstyledButton disabled={pending}>
                {/* the label says what the button does; the picture is described above */}
                <span aria-hidden>{children}</span>
                <VisuallyHidden>{say(photo_url ? 'photos.change' : 'photos.add')}</VisuallyHidden>
              </UnstyledButton>
            </Menu.Target>
            <Menu.Dropdown>
              {hasCamera && (
                <Menu.Item
                  leftSection={<IconCamera size={16} aria-hidden />}
                  onClick={() => setShooting(true)}
                >
                  {say('photos.take')}
                </Menu.Item>
              )}
              <Menu.Item leftSection={<IconPhotoUp size={16} aria-hidden />} onClick={choose}>
                {say('photos.choose')}
              </Menu.Item>
              {photo_url && (
                <Menu.Item
                  color="red"
                  leftSection={<IconTrash size={16} aria-hidden />}
                  onClick={remove}
                >
                  {say('photos.remove')}
                </Menu.Item>
              )}
            </Menu.Dropdown>
          </Menu>
        )}
      </FileButton>
      {isShooting && (
        <CameraDialog
          onClose={() => setShooting(false)}
          onPicture={(picture) => {
            setShooting(false)
            void keep(picture)
          }}
        />
      )}
    </>
  )
}
