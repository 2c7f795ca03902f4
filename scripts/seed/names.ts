/** Given and family names that people of a region have, as its clinics write them. Written for Sanad; nobody is meant. */
export type Region = {
  male: readonly string[]
  female: readonly string[]
  family: readonly string[]
  towns: readonly string[]
  citizenships: readonly string[]
  camps: readonly string[]
  /** Spanish: two family names. */
  families: 1 | 2
}

const list = (words: string) => words.split(' ')

export const arabic: Region = {
  male: list(
    'محمد أحمد علي حسن حسين عمر خالد يوسف إبراهيم مصطفى محمود سعيد طارق كريم سامر باسل أنس زيد عدنان رامي نزار فادي ماهر هاني بلال ياسر وليد جمال عبدالله عبدالرحمن إسماعيل أيمن',
  ),
  female: list(
    'فاطمة عائشة مريم زينب ليلى نور سارة هدى رنا سلمى آمنة خديجة أسماء دعاء ريم لينا هبة إيمان سعاد نادية سميرة منى رحاب شيماء ولاء بتول غادة هناء وفاء عبير',
  ),
  family: list(
    'الحداد النجار المنصور الخطيب الشامي الحلبي العلي الأحمد حمدان درويش قاسم سليمان عيسى صالح المصري الكردي العمر الزعبي بركات شاهين النابلسي الحوراني جابر عباس مراد الأسعد القاضي الصباغ الرفاعي البيطار',
  ),
  towns: list('حلب درعا حمص إدلب عمّان إربد الزرقاء المفرق غزة نابلس رفح طرابلس صيدا بيروت الموصل'),
  citizenships: list('سوري أردني فلسطيني لبناني عراقي'),
  camps: list('الزعتري الأزرق البقعة جرش الوحدات'),
  families: 1,
}

export const latinArabic: Region = {
  male: list(
    'Mohammed Ahmad Ali Hassan Hussein Omar Khaled Yousef Ibrahim Mustafa Mahmoud Saeed Tariq Karim Samer Basel Anas Zaid Adnan Rami Nizar Fadi Maher Hani Bilal Yasser Walid Jamal Abdullah Ismail',
  ),
  female: list(
    'Fatima Aisha Maryam Zainab Layla Noor Sara Huda Rana Salma Amina Khadija Asma Duaa Reem Lina Hiba Iman Suad Nadia Samira Mona Rehab Shaimaa Walaa Batoul Ghada Hanaa Wafaa Abeer',
  ),
  family: list(
    'Haddad Najjar Mansour Khatib Shami Halabi Al-Ali Al-Ahmad Hamdan Darwish Qasim Suleiman Issa Saleh Masri Kurdi Al-Omar Zoubi Barakat Shahin Nabulsi Hourani Jaber Abbas Murad Asaad Qadi Sabbagh Rifai Bitar',
  ),
  towns: list(
    'Aleppo Daraa Homs Idlib Amman Irbid Zarqa Mafraq Gaza Nablus Rafah Tripoli Sidon Beirut Mosul',
  ),
  citizenships: list('Syrian Jordanian Palestinian Lebanese Iraqi'),
  camps: list('Zaatari Azraq Baqaa Jerash Wihdat'),
  families: 1,
}

export const spanish: Region = {
  male: list(
    'José Luis Juan Carlos Miguel Jesús Pedro Antonio Francisco Alejandro Manuel Ángel Rafael Daniel Jorge Andrés Martín Óscar Emiliano Mateo Santiago Sebastián Iván Hugo Rubén',
  ),
  female: list(
    'María Guadalupe Juana Ana Rosa Carmen Teresa Lucía Sofía Valentina Camila Ximena Fernanda Gabriela Patricia Elena Isabel Verónica Leticia Adriana Mónica Itzel Yolanda Inés Concepción',
  ),
  family: list(
    'García Hernández Martínez López González Pérez Rodríguez Sánchez Ramírez Cruz Flores Gómez Morales Vázquez Jiménez Reyes Díaz Torres Gutiérrez Ruiz Mendoza Aguilar Ortiz Castillo Núñez Chávez Muñoz Ibáñez Peña Luna',
  ),
  towns: [
    'Tapachula',
    'San Cristóbal',
    'Oaxaca',
    'Tijuana',
    'Ciudad Juárez',
    'Matamoros',
    'Puebla',
    'San Pedro Sula',
    'Quetzaltenango',
    'León',
  ],
  citizenships: list('mexicana hondureña guatemalteca salvadoreña venezolana nicaragüense'),
  camps: [],
  families: 2,
}

/** How often each is met. Two ways of writing the same names, because one clinic has both. */
export const regions = [arabic, arabic, latinArabic, spanish] as const
