# Device profiles are files of heuristics/profiles; all of them are embedded, so a new file is a new profile.
file(GLOB profiles CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_LIST_DIR} ${CMAKE_CURRENT_LIST_DIR}/*.json)
set(generated ${PROJECT_BINARY_DIR}/heuristics/profile_texts.cpp)
set(embed ${CMAKE_CURRENT_LIST_DIR}/embed.cmake)
list(TRANSFORM profiles PREPEND ${CMAKE_CURRENT_LIST_DIR}/ OUTPUT_VARIABLE profile_paths)
add_custom_command(
    OUTPUT ${generated}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${generated} -DROOT=${CMAKE_CURRENT_LIST_DIR} "-DPROFILES=${profiles}" -P ${embed}
    DEPENDS ${profile_paths} ${embed}
    VERBATIM)
target_sources(tenon_heuristics PRIVATE ${generated})
