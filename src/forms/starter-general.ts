import {
  anyOf,
  choice,
  choices,
  day,
  diagnosis,
  files,
  heading,
  longText,
  medicines,
  nextVisit,
  note,
  number,
  starter,
  text,
  when,
  yesNo,
} from './starter-parts'

export const generalConsultation = starter(
  'general-consultation',
  ['General consultation', 'معاينة عامة', 'Consulta general'],
  [
    'Why the person came, what was found, what was done.',
    'سبب الحضور، وما وُجد عند الفحص، وما تم فعله.',
    'Motivo de la consulta, hallazgos y conducta.',
  ],
  [
    longText('complaint', ['Main complaint, in the person’s words', 'الشكوى الرئيسية', 'Motivo de consulta'], {
      required: true,
    }),
    number('since', ['For how many days', 'المدة (أيام)', 'Duración (días)'], {
      limits: { min: 0, max: 20_000 },
    }),
    choice(
      'severity',
      ['How much it disturbs', 'الشدة', 'Intensidad'],
      [
        ['mild', 'A little', 'خفيفة', 'Leve'],
        ['moderate', 'Quite', 'متوسطة', 'Moderada'],
        ['severe', 'Very much', 'شديدة', 'Intensa'],
      ],
    ),
    choices(
      'symptoms',
      ['Also present', 'أعراض مرافقة', 'Síntomas asociados'],
      [
        ['fever', 'Fever', 'حمّى', 'Fiebre'],
        ['cough', 'Cough', 'سعال', 'Tos'],
        ['breathless', 'Shortness of breath', 'ضيق تنفّس', 'Dificultad para respirar'],
        ['chest_pain', 'Chest pain', 'ألم صدري', 'Dolor torácico'],
        ['abdominal_pain', 'Abdominal pain', 'ألم بطني', 'Dolor abdominal'],
        ['vomiting', 'Vomiting', 'قيء', 'Vómitos'],
        ['diarrhoea', 'Diarrhoea', 'إسهال', 'Diarrea'],
        ['headache', 'Headache', 'صداع', 'Dolor de cabeza'],
        ['rash', 'Rash', 'طفح جلدي', 'Erupción cutánea'],
        ['weight_loss', 'Weight loss', 'نقص وزن', 'Pérdida de peso'],
      ],
    ),
    note(
      'chest_pain_note',
      [
        'Chest pain or shortness of breath: measure oxygen saturation and pulse now; think of heart and lungs first.',
        'عند وجود ألم صدري أو ضيق تنفّس: قياس تشبّع الأكسجين والنبض الآن، والتفكير أولًا في القلب والرئتين.',
        'Si hay dolor torácico o dificultad para respirar: mida ahora la saturación de oxígeno y el pulso; piense primero en corazón y pulmones.',
      ],
      { showIf: anyOf(when('symptoms', 'is', 'chest_pain'), when('symptoms', 'is', 'breathless')) },
    ),
    longText('history', ['History', 'القصة المرضية', 'Antecedentes y enfermedad actual']),
    yesNo('allergy_asked', ['Asked about allergies', 'تمت مراجعة الحساسية', 'Alergias verificadas']),
    heading('examination_heading', ['Examination', 'الفحص', 'Examen físico']),
    longText('examination', ['Findings', 'الموجودات', 'Hallazgos']),
    longText('tests', ['Tests and their results', 'الفحوص ونتائجها', 'Exámenes y resultados']),
    files('photos', ['Pictures and reports', 'صور وتقارير', 'Imágenes e informes']),
    heading('plan_heading', ['Assessment and plan', 'التقييم والخطة', 'Evaluación y plan']),
    diagnosis(),
    medicines(),
    longText('advice', ['Advice given', 'النصائح المقدّمة', 'Indicaciones dadas']),
    yesNo('referred', ['Referred elsewhere', 'أُحيل إلى جهة أخرى', 'Derivado a otro establecimiento']),
    text('referred_to', ['Referred to', 'الجهة المحال إليها', 'Derivado a'], {
      showIf: when('referred', 'is', 'yes'),
      requiredIf: when('referred', 'is', 'yes'),
    }),
    nextVisit(),
  ],
)

/** Emergency and priority signs: WHO, Guidelines on paediatric emergency triage, assessment and treatment (ETAT), 2016, and the Interagency Integrated Triage Tool (WHO, ICRC, MSF, 2020), shortened. */
export const triage = starter(
  'triage',
  ['Triage', 'الفرز', 'Triaje'],
  [
    'Who cannot wait: emergency signs first, then priority signs.',
    'من لا يحتمل الانتظار: علامات الطوارئ أولًا ثم علامات الأولوية.',
    'Quién no puede esperar: primero los signos de emergencia, después los de prioridad.',
  ],
  [
    text('reason', ['Reason for coming', 'سبب الحضور', 'Motivo de consulta'], { required: true }),
    choices(
      'emergency',
      ['Emergency signs', 'علامات الطوارئ', 'Signos de emergencia'],
      [
        [
          'airway',
          'Airway blocked, or not breathing',
          'انسداد مجرى الهواء أو توقف التنفّس',
          'Vía aérea obstruida o no respira',
        ],
        [
          'breathing',
          'Severe breathing difficulty, or blue lips',
          'ضيق تنفّس شديد أو زرقة الشفتين',
          'Dificultad respiratoria grave o cianosis',
        ],
        [
          'shock',
          'Cold hands with weak, fast pulse',
          'برودة اليدين مع نبض سريع ضعيف',
          'Manos frías con pulso débil y rápido',
        ],
        ['bleeding', 'Heavy bleeding', 'نزف غزير', 'Hemorragia abundante'],
        ['coma', 'Does not respond, or only to pain', 'لا يستجيب أو يستجيب للألم فقط', 'No responde o solo al dolor'],
        ['convulsion', 'Convulsing now', 'اختلاج (تشنّج) حاليًا', 'Convulsiona en este momento'],
        [
          'dehydration',
          'Child with diarrhoea: lethargic, sunken eyes, slow skin pinch',
          'طفل مصاب بإسهال: خمول، عينان غائرتان، بطء عودة ثنية الجلد',
          'Niño con diarrea: letárgico, ojos hundidos, pliegue cutáneo lento',
        ],
      ],
      { hint: ['One is enough: treat now.', 'علامة واحدة تكفي: العلاج الآن.', 'Basta un signo: trate de inmediato.'] },
    ),
    note(
      'emergency_note',
      [
        'EMERGENCY: take the person to the treatment room at once and call for help.',
        'طوارئ: نقل المريض فورًا إلى غرفة المعالجة وطلب المساعدة.',
        'EMERGENCIA: lleve a la persona de inmediato a la sala de tratamiento y pida ayuda.',
      ],
      { showIf: when('emergency', 'answered') },
    ),
    choices(
      'priority',
      ['Priority signs', 'علامات الأولوية', 'Signos de prioridad'],
      [
        ['infant', 'Younger than 2 months', 'العمر أقل من شهرين', 'Menor de 2 meses'],
        ['hot', 'Very hot', 'حرارة شديدة', 'Temperatura muy alta'],
        [
          'trauma',
          'Injury that needs surgery soon',
          'إصابة تحتاج إلى جراحة عاجلة',
          'Lesión que requiere cirugía pronto',
        ],
        ['pallor', 'Very pale', 'شحوب شديد', 'Palidez intensa'],
        ['poisoning', 'Poisoning', 'تسمّم', 'Intoxicación'],
        ['pain', 'Severe pain', 'ألم شديد', 'Dolor intenso'],
        ['restless', 'Restless or lethargic', 'تململ أو خمول', 'Inquieto o letárgico'],
        ['referral', 'Urgent referral letter', 'إحالة عاجلة', 'Hoja de derivación urgente'],
        [
          'malnutrition',
          'Visible severe wasting, or swelling of both feet',
          'هزال شديد ظاهر أو وذمة القدمين',
          'Emaciación grave visible, o edema de ambos pies',
        ],
        ['burn', 'Large burn', 'حرق واسع', 'Quemadura extensa'],
        [
          'pregnant',
          'Pregnant with bleeding, headache or contractions',
          'حامل مع نزف أو صداع أو تقلّصات',
          'Embarazada con sangrado, cefalea o contracciones',
        ],
      ],
      { showIf: when('emergency', 'notAnswered') },
    ),
    number('pain', ['Pain, 0 to 10', 'الألم من 0 إلى 10', 'Dolor, de 0 a 10'], {
      limits: { min: 0, max: 10 },
      normal: { max: 6 },
    }),
    choice(
      'category',
      ['Category', 'درجة الفرز', 'Categoría'],
      [
        ['red', 'Red: emergency, now', 'أحمر: طوارئ، فورًا', 'Rojo: emergencia, ahora'],
        ['yellow', 'Yellow: priority, next', 'أصفر: أولوية، التالي', 'Amarillo: prioridad, el siguiente'],
        ['green', 'Green: can wait', 'أخضر: يمكنه الانتظار', 'Verde: puede esperar'],
      ],
      { required: true },
    ),
    longText('done', ['Done at triage', 'ما تم عند الفرز', 'Acciones en el triaje']),
  ],
)

export const referral = starter(
  'referral-discharge',
  ['Referral and discharge', 'إحالة وخروج', 'Derivación y alta'],
  [
    'The summary that goes along with the person, to a hospital or home.',
    'الملخّص الذي يرافق المريض إلى المستشفى أو المنزل.',
    'El resumen que acompaña a la persona al hospital o a casa.',
  ],
  [
    choice(
      'destination',
      ['The person goes', 'وجهة المريض', 'Destino'],
      [
        ['hospital', 'To a hospital', 'إلى مستشفى', 'A un hospital'],
        ['specialist', 'To a specialist', 'إلى اختصاصي', 'A un especialista'],
        ['home', 'Home', 'إلى المنزل', 'A casa'],
      ],
      { required: true },
    ),
    text('to', ['Where to, and to whom', 'إلى أين وإلى من', 'A dónde y a quién'], {
      showIf: when('destination', 'isNot', 'home'),
      requiredIf: when('destination', 'isNot', 'home'),
    }),
    choice(
      'urgency',
      ['Urgency', 'درجة الاستعجال', 'Urgencia'],
      [
        ['now', 'Now, by ambulance', 'فورًا بسيارة إسعاف', 'Ahora, en ambulancia'],
        ['today', 'Today', 'اليوم', 'Hoy'],
        ['week', 'Within a week', 'خلال أسبوع', 'En los próximos 7 días'],
        ['planned', 'Planned', 'مخطّط لها', 'Programada'],
      ],
      { showIf: when('destination', 'isNot', 'home') },
    ),
    yesNo(
      'announced',
      ['The receiving place was told', 'أُبلغت الجهة المستقبلة', 'Se avisó al establecimiento receptor'],
      {
        showIf: when('destination', 'is', 'hospital'),
      },
    ),
    diagnosis({ required: true }),
    longText(
      'summary',
      ['Summary of the illness and findings', 'ملخّص المرض والموجودات', 'Resumen de la enfermedad y hallazgos'],
      { required: true },
    ),
    longText('given', ['Treatment given so far', 'العلاج المقدّم حتى الآن', 'Tratamiento administrado']),
    choice(
      'condition',
      ['Condition on leaving', 'الحالة عند المغادرة', 'Estado al alta'],
      [
        ['better', 'Better', 'تحسّن', 'Mejor'],
        ['same', 'Unchanged', 'دون تغيّر', 'Igual'],
        ['worse', 'Worse', 'تدهور', 'Peor'],
        ['critical', 'Critical', 'حالة حرجة', 'Crítico'],
      ],
    ),
    medicines({ hint: ['To be taken from now on', 'تؤخذ من الآن فصاعدًا', 'Para tomar a partir de ahora'] }),
    longText(
      'question',
      ['What is asked of the receiving doctor', 'المطلوب من الطبيب المستقبِل', 'Qué se solicita al médico receptor'],
      {
        showIf: when('destination', 'isNot', 'home'),
      },
    ),
    longText('warning', ['Come back at once if', 'العودة فورًا عند', 'Signos de alarma: volver de inmediato si'], {
      showIf: when('destination', 'is', 'home'),
    }),
    files('documents', ['Documents sent along', 'وثائق مرفقة', 'Documentos adjuntos']),
    day('seen_again', ['To be seen here again', 'موعد المراجعة هنا', 'Próximo control en esta clínica'], {
      days: 'future',
    }),
  ],
)
